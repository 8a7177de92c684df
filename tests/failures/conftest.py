"""The fixtures of the tests of imports, for cases about the books."""

from tests.ingest.conftest import books, ingest, log

__all__ = ["books", "ingest", "log"]
