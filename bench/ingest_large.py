"""Measures what is large: a file of 5 GB, and a table of ten million events."""

from pathlib import Path

from django.db import connection

from bench.generators import write_gateway_log
from bench.ingest_books import grown, into_last_day
from bench.ingest_gateway import by_path, measured
from bench.ingest_rig import Worker, empty_books, middle, psql, spread, told, workers


def big_file(folder: Path, *, size: int) -> None:
    """Read one very large file; print the memory of the worker that did it."""
    log = folder / "big.jsonl"
    events = size // 727
    write_gateway_log(log, events)
    with workers(1) as (worker,):
        done = by_path(worker, log)
    told(f"a file of {log.stat().st_size / 1e9:.1f} GB, events/s", f"{done['rate']:.0f}")
    told("memory of its worker, MB", f"{done['rss_mb']:.0f}   must be ≤ 200")
    log.unlink()
    empty_books()


def late_day(folder: Path, *, stored: int, events: int, rounds: int) -> None:
    """Import into the last day of a table of 90 days, and into an empty one before and after."""
    with workers(1) as (worker,):
        empty = [into_empty(worker, folder, events) for _ in range(rounds)]
        organization_id = grown(stored).pk
        late = [into_late(worker, folder, events, organization_id, n) for n in range(rounds)]
        empty += [into_empty(worker, folder, events) for _ in range(rounds)]
    tell_late(late, empty, stored)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")


def into_empty(worker: Worker, folder: Path, events: int) -> dict[str, float]:
    """One import into empty tables."""
    log = folder / "late.jsonl"
    write_gateway_log(log, events, start=into_last_day())
    return by_path(worker, log)


def into_late(
    worker: Worker, folder: Path, events: int, organization_id: int, number: int
) -> dict[str, float]:
    """One import of new events into the last day of what an organization has."""
    log = folder / "late.jsonl"
    write_gateway_log(log, events, start=into_last_day(), seed=100 + number)
    psql("CHECKPOINT")
    return measured(worker, log, organization_id)


def tell_late(late: list[dict[str, float]], empty: list[dict[str, float]], stored: int) -> None:
    """Print how much slower a late day is, by time and by CPU."""
    told(
        f"into the last day of {stored:,} events, events/s",
        spread([one["rate"] for one in late], 0),
    )
    told("into an empty table, events/s", spread([one["rate"] for one in empty], 0))
    ratio = middle([one["rate"] for one in late]) / middle([one["rate"] for one in empty])
    told("ratio", f"{ratio:.2f}   must be ≥ 0.7")
    for name, runs in (("the last day", late), ("an empty table", empty)):
        client = middle([one["client_us"] for one in runs])
        server = middle([one["server_us"] for one in runs])
        told(f"  into {name}, µs CPU per event", f"worker {client:.1f} + server {server:.1f}")
