"""Values and arithmetic of the books: standard library only, no framework, no clock."""
