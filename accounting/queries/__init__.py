"""Questions to the books: no writes, frozen answers, a stated number of statements."""
