"""The books: prices, credits, the ledger, rollups, questions, pages and REST."""
