"""Prints what every question of the pages and endpoints takes, at 1 and at 10 million events.

    make bench-queries            python -m bench.queries [--folder FOLDER] [--turns N] [--keep]

Makes the books where the folder has none yet (about 8 GB; the larger ones take some minutes), asks each
size's questions, those of the larger one again while a worker posts, and prints p50 and p95 of SQL in
ms, how they grew, and which exceed what they must not; then the same of whole pages and endpoints of the
larger one over HTTP. Exit code 1 where one exceeds it.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

SIZES = (1_000_000, 10_000_000)
#: ms that a question's p95 must not exceed, and those that it is meant to; by what serves it.
MUST = {"days": 500, "hours": 500, "ledger": 500, "slow": 3_500}
FIGURE = {"days": 25, "hours": 60, "ledger": 60, "slow": 3_500}
#: The same of whole answers over HTTP, and of those that are marked slow.
ANSWER_MUST, ANSWER_FIGURE, SLOW_MUST = 500, 120, 3_500
MOST_GROWTH = MOST_SLOWER = 2.0
FREE_GB = 20

type Figures = dict[str, dict[str, Any]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("/tmp/tallybook-bench-queries"))
    parser.add_argument("--turns", default="20")
    parser.add_argument("--keep", action="store_true", help="leave the books for the next time")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(asked.folder).free < FREE_GB * 1_000_000_000:
        sys.exit(f"{asked.folder} has less than {FREE_GB} GB free")
    small, large = (asked.folder / f"{size // 1_000_000}m" for size in SIZES)
    for folder, size in zip((small, large), SIZES, strict=True):
        run(folder, "bench.books", str(size))
    measure = ("bench.queries_measured", "--turns", asked.turns)
    wrong = printed(
        figures(run(small, *measure)),
        figures(run(large, *measure)),
        figures(run(large, *measure, "--importing")),
    )
    wrong += printed_answers(figures(run(large, "bench.queries_http", "--turns", asked.turns)))
    if not asked.keep:
        shutil.rmtree(asked.folder)
    return int(wrong > 0)


def run(folder: Path, module: str, *arguments: str) -> str:
    """What a module prints, run on one folder's books; its messages go to the terminal."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, "TALLYBOOK_DATA_DIR": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def figures(output: str) -> Figures:
    """Each question's figures by its name."""
    return {row["name"]: row for row in map(json.loads, output.splitlines())}


def printed(small: Figures, large: Figures, busy: Figures) -> int:
    """Print the table; how many questions exceed what they must not."""
    head = ("", "served", "sql", "p50 1M", "p95 1M", "p50 10M", "p95 10M", "growth", "importing")
    print(f"{head[0]:38} {head[1]:7} {head[2]:>4}" + "".join(f"{name:>10}" for name in head[3:]))
    exceeded = missed = 0
    for name, at_large in large.items():
        at_small, served = small[name], at_large["served"]
        growth = at_large["p50"] / max(at_small["p50"], 0.1)
        during = busy.get(name, {}).get("p95")
        is_over = at_large["p95"] > MUST.get(served, float("inf"))
        is_missed = (
            at_large["p95"] > FIGURE.get(served, float("inf"))
            or growth > MOST_GROWTH
            or (during or 0) > MOST_SLOWER * max(at_large["p95"], 1)
        )
        exceeded += is_over
        missed += is_missed
        times = (at_small["p50"], at_small["p95"], at_large["p50"], at_large["p95"])
        print(
            f"{name:38} {served:7} {at_large['statements']:4}"
            + "".join(f"{each:10.1f}" for each in times)
            + f"{growth:10.1f}"
            + (f"{during:10.1f}" if during is not None else f"{'':10}")
            + ("  MUST" if is_over else "  figure" if is_missed else "")
        )
    print(f"{exceeded} of {len(large)} exceed what they must not, {missed} what they are meant to")
    return exceeded


def printed_answers(answers: Figures) -> int:
    """Print the table of whole answers; how many exceed what they must not."""
    print(f"\n{'over HTTP, 10M':38} {'bytes':>10}{'p50':>10}{'p95':>10}")
    exceeded = 0
    for name, answer in answers.items():
        is_over = answer["p95"] > (SLOW_MUST if answer["is_slow"] else ANSWER_MUST)
        is_missed = not answer["is_slow"] and answer["p95"] > ANSWER_FIGURE
        exceeded += is_over
        print(
            f"{name:38} {answer['bytes']:10,}{answer['p50']:10.1f}{answer['p95']:10.1f}"
            + ("  MUST" if is_over else "  figure" if is_missed else "")
        )
    return exceeded


if __name__ == "__main__":
    sys.exit(main())
