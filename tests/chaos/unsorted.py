"""A worker that inserts in no order: a control in which sessions must run into each other."""

import django
from celery.__main__ import main

import accounting.config.celery  # noqa: F401  names Django's settings

django.setup()
from accounting.services import ledger  # noqa: E402  needs the settings

ledger.INSERT_NEW = ledger.INSERT_NEW.replace("ORDER BY s.dedupe_key", "ORDER BY random()")
assert "random()" in ledger.INSERT_NEW

if __name__ == "__main__":
    main()
