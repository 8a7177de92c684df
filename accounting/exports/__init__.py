"""Tables of the books as files: columns with kinds, and one writer for each format."""
