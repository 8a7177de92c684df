"""Measures a gateway's log: by its path with one and two workers, through the inbox, beside bare \\copy."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.generators import write_gateway_log
from bench.ingest_rig import (
    Worker,
    children_cpu_s,
    cpu_s,
    empty_books,
    middle,
    new_organization,
    psql,
    server_pids,
    spread,
    told,
    workers,
)

BARE = "CREATE UNLOGGED TABLE IF NOT EXISTS bench_copy (LIKE accounting_usageevent)"
LOGGED = "ALTER TABLE bench_copy SET LOGGED"


def measure(folder: Path, *, events: int, rounds: int) -> None:
    """Print the import's figures; every round does each of them once, on empty tables."""
    log, halves = folder / "gateway.jsonl", [folder / "half-1.jsonl", folder / "half-2.jsonl"]
    size = write_gateway_log(log, events)
    write_gateway_log(halves[0], events // 2, seed=2)
    write_gateway_log(halves[1], events - events // 2, seed=3)
    print(f"gateway log: {events:,} lines, {size / events:.0f} bytes each")
    rows = folder / "rows.copy"
    with workers(2) as pair:
        one = pair[0]
        told("start-up of a worker, s", f"{one.start_s:.2f}")
        by_path(one, log)
        _keep_rows(rows)
        told("rows for \\copy, bytes each", f"{rows.stat().st_size / events:.0f}")
        runs: dict[str, Callable[[], dict[str, float]]] = {
            "copy": lambda: copied(rows, events),
            "one worker": lambda: by_path(one, log),
            "two workers": lambda: by_two(pair, halves),
            "inbox": lambda: by_path(one, log, command="upload"),
        }
        found: dict[str, list[dict[str, float]]] = {name: [] for name in runs}
        for _ in range(rounds):
            for name, run in runs.items():
                found[name].append(run())
    _tell(found)
    for path in (log, *halves, rows):
        path.unlink()


def by_path(worker: Worker, log: Path, *, command: str = "path") -> dict[str, float]:
    """One import by one worker into empty books: events a second, CPU of worker and server per event."""
    empty_books()
    return measured(worker, log, new_organization().pk, command=command)


def measured(
    worker: Worker, log: Path, organization_id: int, *, command: str = "path"
) -> dict[str, float]:
    """The same into the books as they are."""
    before = cpu_s(server_pids())
    done = worker.done(**{command: str(log), "organization": organization_id})
    server = cpu_s(server_pids()) - before
    lines = done["lines"]
    if done["recorded"] != lines:
        raise RuntimeError(f"{done['recorded']} of {lines} lines were recorded")
    return {
        "rate": lines / done["wall_s"],
        "client_us": done["cpu_s"] / lines * 1e6,
        "server_us": server / lines * 1e6,
        "rss_mb": done["rss_mb"],
    }


def by_two(pair: list[Worker], halves: list[Path]) -> dict[str, float]:
    """Two imports at the same time by two workers, of one organization."""
    empty_books()
    before = cpu_s(server_pids())
    organization_id = new_organization().pk
    started = time.perf_counter()
    for worker, half in zip(pair, halves, strict=True):
        worker.ask(path=str(half), organization=organization_id)
    done = [worker.answer() for worker in pair]
    wall = time.perf_counter() - started
    lines = sum(one["lines"] for one in done)
    return {
        "rate": lines / wall,
        "client_us": sum(one["cpu_s"] for one in done) / lines * 1e6,
        "server_us": (cpu_s(server_pids()) - before) / lines * 1e6,
        "rss_mb": max(one["rss_mb"] for one in done),
    }


def copied(rows: Path, events: int) -> dict[str, float]:
    """The same rows by psql's \\copy, as text, into a table without index or constraint."""
    psql("TRUNCATE bench_copy", "CHECKPOINT")
    before, started = cpu_s(server_pids()) + children_cpu_s(), time.perf_counter()
    psql(f"\\copy bench_copy from '{rows}'")
    wall = time.perf_counter() - started
    time.sleep(0.3)  # until the session that copied has ended: its time is its postmaster's then
    return {
        "rate": events / wall,
        "cpu_us": (cpu_s(server_pids()) + children_cpu_s() - before) / events * 1e6,
    }


def _keep_rows(rows: Path) -> None:
    psql(BARE, LOGGED, f"\\copy (SELECT * FROM accounting_usageevent) to '{rows}'")


def _tell(found: dict[str, list[dict[str, Any]]]) -> None:
    rates = {name: [one["rate"] for one in runs] for name, runs in found.items()}
    for name, values in rates.items():
        told(f"{name}, events/s", spread(values, 0))
    for name, wanted in (("one worker", 0.28), ("two workers", 0.36), ("inbox", None)):
        ratios = [one / copy for one, copy in zip(rates[name], rates["copy"], strict=True)]
        goal = f"   wanted ≥ {wanted}" if wanted else ""
        told(f"{name} / \\copy", f"{spread(ratios)}{goal}")
    copy_us = middle([one["cpu_us"] for one in found["copy"]])
    told("\\copy, µs CPU per row", f"{copy_us:.1f}")
    for name, wanted in (("one worker", 22), ("two workers", None), ("inbox", 25)):
        client = middle([one["client_us"] for one in found[name]])
        server = middle([one["server_us"] for one in found[name]])
        goal = f"   wanted ≤ {wanted}" if wanted else ""
        parts = f"{client + server:.1f} = worker {client:.1f} + server {server:.1f}"
        told(f"{name}, µs CPU per event", f"{parts}{goal}")
    told("memory of a worker, MB", f"{max(one['rss_mb'] for one in found['one worker']):.0f}")
