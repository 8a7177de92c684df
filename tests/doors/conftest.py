from tests.ingest.conftest import books, ingest, key, log, push, silence  # noqa: F401
