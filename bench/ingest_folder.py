"""Measures a Claude Code folder: read whole, looked at again, and after it grew; beside ccusage."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

from bench.claude_folder import append_answers, write_claude_folder
from bench.ingest_rig import (
    ROOT,
    Worker,
    children_cpu_s,
    cpu_s,
    empty_books,
    middle,
    new_organization,
    server_pids,
    spread,
    told,
    workers,
)
from ingest.services.receive import Sender
from ingest.services.watching_folders import add_folder

TOOLS = ROOT / ".tools" / "ccusage"
PACKAGES = ("ccusage@20", "@ccusage/ccusage-linux-x64@latest")
GROWN_FILES = 10


def measure(folder: Path, *, size: int, rounds: int) -> None:
    """Print the folder's figures; every round does each of them once, on empty books."""
    tree = folder / "claude"
    files = write_claude_folder(tree, size)
    print(f"Claude Code folder: {size / 1e6:.0f} MB in {files} files")
    command = ccusage()
    found: dict[str, list[float]] = {}
    with workers(1) as (worker,):
        told("start-up of a worker, s", f"{worker.start_s:.2f}")
        for _ in range(rounds):
            taken = _round(worker, tree)
            if command:
                taken |= _peer(command, tree)
            for name, value in taken.items():
                found.setdefault(name, []).append(value)
        added = append_answers(tree, files=GROWN_FILES)
        grown = worker.done(folder=_watched(tree))
    for name, values in found.items():
        told(name, spread(values, 3))
    told("read again after it grew: bytes added, bytes read", f"{added:,}, {grown['bytes']:,}")
    told("read / unchanged", f"{_ratio(found, 'read, s', 'unchanged, s'):.0f} ×   must be ≥ 10")
    if command:
        told(
            "ccusage / read, by wall",
            f"{_ratio(found, 'ccusage, s', 'read, s'):.2f}   wanted ≥ 0.75",
        )
        told(
            "ccusage / read, by CPU",
            f"{_ratio(found, 'ccusage, CPU s', 'read, CPU s'):.2f}   wanted ≥ 1.0",
        )
        told(
            "ccusage / unchanged",
            f"{_ratio(found, 'ccusage, s', 'unchanged, s'):.0f} ×   wanted ≥ 10",
        )
    else:
        told("ccusage", "not installed")
    shutil.rmtree(tree)


def _round(worker: Worker, tree: Path) -> dict[str, float]:
    empty_books()
    folder_id = _watched(tree, anew=True)
    before = cpu_s(server_pids())
    read = worker.done(folder=folder_id)
    server = cpu_s(server_pids()) - before
    again = worker.done(folder=folder_id)
    if again["bytes"]:
        raise RuntimeError(f"{again['bytes']} bytes of an unchanged folder were read")
    return {
        "read, s": read["wall_s"],
        "read, CPU s": read["cpu_s"] + server,
        "read, of it the worker's CPU s": read["cpu_s"],
        "unchanged, s": again["wall_s"],
        "requests": read["recorded"],
    }


def _peer(command: Path, tree: Path) -> dict[str, float]:
    environment = {**os.environ, "CLAUDE_CONFIG_DIR": str(tree)}
    before, started = children_cpu_s(), time.perf_counter()
    words = [command, "claude", "daily", "--json", "--offline", "-z", "UTC"]
    told_by = subprocess.run(words, env=environment, capture_output=True, check=True)
    wall = time.perf_counter() - started
    json.loads(told_by.stdout)
    return {"ccusage, s": wall, "ccusage, CPU s": children_cpu_s() - before}


def ccusage() -> Path | None:
    """The program, installed by npm into an ignored folder; None where that does not work here."""
    program = TOOLS / "node_modules" / "@ccusage" / "ccusage-linux-x64" / "bin" / "ccusage"
    if not program.exists() and shutil.which("npm"):
        words = [
            "npm",
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--prefix",
            TOOLS,
            *PACKAGES,
        ]
        subprocess.run(words, check=False, capture_output=True)
    if not program.exists():
        return None
    program.chmod(0o755)
    return program


def _watched(tree: Path, *, anew: bool = False) -> int:
    from ingest.models import WatchedFolder  # noqa: PLC0415

    known = WatchedFolder.objects.filter(path=str(tree))
    if anew:
        known.delete()
        sender = Sender(organization_id=new_organization().pk)
        return add_folder(str(tree), sender=sender).pk
    return known.get().pk


def _ratio(found: dict[str, list[float]], one: str, two: str) -> float:
    return middle([a / b for a, b in zip(found[one], found[two], strict=True)])
