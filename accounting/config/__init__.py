"""How the project is put together: settings, addresses, Celery, WSGI."""

# Imported with anything of this package, so that no process sends a bell to Celery's default
# broker for want of ours.
from accounting.config.celery import app as celery_app

__all__ = ["celery_app"]
