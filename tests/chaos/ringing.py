"""A program that rings for the workers every half second, several times each."""

import time

import django

import accounting.config.celery  # noqa: F401  names Django's settings

django.setup()
from ingest.tasks.bell import READ_INBOX, app  # noqa: E402  needs the settings

if __name__ == "__main__":
    while True:
        for name in (READ_INBOX,) * 3:
            app.send_task(name)
        time.sleep(0.5)
