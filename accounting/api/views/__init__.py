"""One module for each question that REST answers."""
