"""For what a commit waits: for the disk where it is a promise, for nothing where it would be done again.

PostgreSQL writes commits to the disk in their order. One that waits has all earlier ones there with it.
"""

from django.db import connection


def commit_on_disk() -> None:
    """Have this transaction's commit wait until it is on the disk, whatever the server is set to."""
    _commit("on")


def commit_without_waiting() -> None:
    """Let this transaction's commit reach the disk within the second, while work goes on.

    For what is lost together with the mark that it was done: a server that breaks down before takes both,
    and it is done again.
    """
    _commit("off")


def _commit(waits: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL synchronous_commit = {waits}")
