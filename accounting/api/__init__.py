"""REST: thin faces of the query layer for other programs."""
