"""One module for each command of manage.py that belongs to the books."""
