"""`manage.py sign_in_link`: another one-time link for the owner."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from accounting.embedded.ports import site_address
from accounting.services.tenants import new_sign_in_link


class Command(BaseCommand):
    """Prints a link; with a database of your own only its path, for we don't know your site."""

    help = "Print a link that signs the owner in once, within the hour."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Make and print it."""
        site = site_address(settings.WEB_HOST, settings.WEB_PORT) if settings.EMBEDDED else ""
        self.stdout.write(f"{site}{new_sign_in_link()}")
