"""Every log format that Tallybook reads, tried in this order."""
