"""The doors for programs and for the upload of files."""
