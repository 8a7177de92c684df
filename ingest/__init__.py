"""Getting logs in: formats, the inbox, reading, push endpoints, their pages and commands."""
