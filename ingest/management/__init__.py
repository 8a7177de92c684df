"""Commands of getting logs in."""
