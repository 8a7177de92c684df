"""`manage.py prepare`: what an operator runs after each upgrade, before the web servers start."""

from typing import Any

from django.core.management.base import BaseCommand

from accounting.management.preparation import prepare_shared_database


class Command(BaseCommand):
    """Brings the database up to this version of the code."""

    help = (
        "Migrate, make the default organization and project, load the built-in prices."
        " May be run again, and on several hosts at once."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Wait for others that prepare the same database, then prepare it."""
        prepare_shared_database()
