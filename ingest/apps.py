"""Getting logs in, as a Django application."""

from django.apps import AppConfig


class IngestConfig(AppConfig):
    """Registers the inbox, its tasks and its commands."""

    name = "ingest"
    default_auto_field = "django.db.models.BigAutoField"
