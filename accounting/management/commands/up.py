"""`manage.py up`: web server, worker and beat under one supervisor; what `make run` calls."""

import sys
import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connections

from accounting.embedded.children import Child
from accounting.embedded.ports import page_answers, site_address
from accounting.embedded.server import PrivateServer, tell
from accounting.embedded.supervisor import Supervisor
from accounting.management.preparation import prepare_shared_database
from accounting.services.tenants import new_sign_in_link

CELERY = (
    sys.executable,
    "-W",
    "ignore:You're running the worker",  # as root; it takes JSON only, so nothing it reads can run
    *("-m", "celery", "--quiet", "--app", "accounting.config.celery"),
)
SLOW_START_S = 60.0
SERVER_CHECK_S = 2.0


class Command(BaseCommand):
    """Starts everything, prints the address and a sign-in link, stops everything on Ctrl-C."""

    help = "Run Tallybook: web server, worker and beat, until Ctrl-C or SIGTERM."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Return when all children have ended."""
        if not settings.EMBEDDED:
            prepare_shared_database()
        watch = Watch(self)
        Supervisor(children(), write=_write_log_line).run(watch.tick)


def children() -> tuple[Child, ...]:
    """The children in the order in which they are stopped."""
    beat = ("beat", "--scheduler", "celery.beat:Scheduler", "--pidfile=")
    worker = ("worker", "--pool", "prefork", "--concurrency", str(settings.WORKER_PROCESSES))
    without = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    return (
        Child(name="beat", command=(*CELERY, *beat), patience_s=5),
        Child(name="web", command=web_command(), patience_s=10),
        Child(name="worker", command=(*CELERY, *worker, *without), patience_s=15),
    )


def web_command() -> tuple[str, ...]:
    """The web server's command line."""
    return (
        # Static files are served from their sources; only the image collects them.
        *(sys.executable, "-W", "ignore:No directory at"),
        *("-m", "granian", "--interface", "asginl", "--http", "1", "--no-ws"),
        *("--host", settings.WEB_HOST, "--port", str(settings.WEB_PORT)),
        # Connections, of which one that waits costs little: threads are taken when bodies are there.
        *("--workers", "1", "--backpressure", "512", "--http1-header-read-timeout", "10000"),
        *("--respawn-failed-workers", "--log-level", "warning"),
        "accounting.config.asgi:application",
    )


class Watch:
    """Says once when the page answers, and keeps the private PostgreSQL alive."""

    def __init__(self, command: BaseCommand) -> None:
        self._command = command
        self._announced = False
        self._slow_at = time.monotonic() + SLOW_START_S
        self._check_at = time.monotonic() + SERVER_CHECK_S
        self._server = PrivateServer(settings.DATA_FOLDER)

    def tick(self) -> None:
        """Do what is due."""
        now = time.monotonic()
        if not self._announced:
            self._announce_if_ready(now)
        if settings.EMBEDDED and now > self._check_at:
            self._check_at = now + SERVER_CHECK_S
            if not self._server.is_alive():
                tell("PostgreSQL has died; starting it again")
                self._server.revive()

    def _announce_if_ready(self, now: float) -> None:
        if page_answers(settings.WEB_HOST, settings.WEB_PORT):
            self._announced = True
            site = site_address(settings.WEB_HOST, settings.WEB_PORT)
            self._print(f"Tallybook: {site}/", f"Sign in: {site}{new_sign_in_link()}")
            connections.close_all()
        elif now > self._slow_at:
            tell("the page does not answer yet; the lines of `web` above say why")
            self._slow_at = float("inf")

    def _print(self, *lines: str) -> None:
        for line in lines:
            self._command.stdout.write(line)
        self._command.stdout.flush()


def _write_log_line(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
