"""Getting logs in: kept, read, attributed, posted; no request, no queue."""
