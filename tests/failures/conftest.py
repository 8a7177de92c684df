"""The fixtures of the tests of imports, for cases about the books."""

from tests.ingest.conftest import books, ingest, key, log, push, silence

__all__ = ["books", "ingest", "key", "log", "push", "silence"]
