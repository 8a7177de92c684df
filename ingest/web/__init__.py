"""Pages about imports."""
