from tests.ingest.conftest import books, ingest, key, log, push, silence

__all__ = ["books", "ingest", "key", "log", "push", "silence"]
