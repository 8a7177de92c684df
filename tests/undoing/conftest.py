from tests.ingest.conftest import books, ingest, key, log, push, silence
from tests.posting.conftest import organization

__all__ = ["books", "ingest", "key", "log", "organization", "push", "silence"]
