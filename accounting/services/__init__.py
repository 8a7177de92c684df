"""Changes of the books: one transaction each, one frozen result, no request, no queue, no mail."""
