"""The Celery application: workers read the inbox, beat nudges them."""

import os

from celery import Celery

import accounting.config.bellbroker  # noqa: F401  makes the bells:// address known

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
app = Celery("tallybook")
app.set_default()  # in every thread, not only in the one that runs this line
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def load_broker() -> None:
    """Load what speaks to the broker, without speaking to it.

    For Redis that is half a second of work, which the first bell would else do in the middle of pushes.
    """
    app.finalize(auto=True)
    app.connection_for_write().release()
