"""Brings a database up to what this version of the code expects."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management import call_command
from django.db import connection

from accounting.services.builtin_prices import load_builtin
from accounting.services.tenants import ensure_defaults

PREPARING = 0x7A11_B00C  # an advisory lock of this number is held while a database is prepared


def prepare_database() -> None:
    """Migrate, make the default organization and project, load the built-in prices.

    May be repeated; the caller sees to it that nobody else does the same.
    """
    call_command("migrate", interactive=False, verbosity=0)
    ensure_defaults()
    load_builtin()


def prepare_shared_database() -> None:
    """Prepare a database that other hosts may be preparing at the same moment."""
    with _alone():
        prepare_database()


@contextmanager
def _alone() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [PREPARING])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [PREPARING])
