"""The books as a Django application."""

from django.apps import AppConfig


class AccountingConfig(AppConfig):
    """Registers tables, commands and templates of the books."""

    name = "accounting"
    default_auto_field = "django.db.models.BigAutoField"
