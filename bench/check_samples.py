"""Compares what `manage.py ingest --dry-run` makes of sample logs with their expected totals.

    python bench/check_samples.py EXPECTED.json FOLDER [--only PATTERN …]

EXPECTED maps a file or folder below FOLDER to its totals, by the names that `ingest --json` prints;
null is "nobody reported it". Prints each difference and `N of N`; exit code 1 when any differs.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
COUNTS = (
    "requests",
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)
#: Named sets of patterns for --only.
SETS = {
    "first-readers": (
        "claude_code/",
        "claude_code/c*",
        "litellm/*",
        "openai/chat_stream.sse",
        "openai/responses.jsonl",
        "anthropic/message_stream.sse",
        "token_timing/*",
        "docs_excerpts/litellm_*",
        "provider_raw/anthropic-*",
        "provider_raw/duplicate-message-start*",
        "provider_raw/openai-mcp-tool-approval*",
    ),
}


def wanted(expected: Mapping[str, Any], patterns: Sequence[str]) -> Iterator[str]:
    """The entries to check: those that match a pattern, a named set's pattern, or all."""
    spread = [each for pattern in patterns for each in SETS.get(pattern, (pattern,))]
    for name in expected:
        if not spread or any(fnmatch(name, pattern) for pattern in spread):
            yield name


def path_of(folder: Path, name: str) -> Path:
    """The file or folder an entry means; what stands in brackets behind it is a remark.

    Files that belong together ('a/1.prom + 2.prom') are the folder they lie in.
    """
    first, together, _ = name.partition(" (")[0].partition(" + ")
    return (folder / first).parent if together else folder / first


def told_by_command(paths: Sequence[Path]) -> dict[str, dict[str, Any]]:
    """What the command prints for each path; each is read alone, against empty books."""
    command = [sys.executable, "manage.py", "ingest", "--dry-run", "--json", *map(str, paths)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
    if not rows:
        sys.exit(f"the command printed nothing (exit code {done.returncode}):\n{done.stderr}")
    return {str(Path(row["path"])): row for row in rows if row["path"] != "TOTAL"}


def differences(told: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[str]:
    """Each total that is not the expected one, in words."""
    if expected.get("aggregate"):
        yield from aggregate_differences(told.get("aggregate") or {}, expected)
        return
    names = [name for name in (*COUNTS, "errors") if name in expected]
    if "lines" in expected:  # an entry that says line by line what must happen
        names = []
        yield from line_differences(told, expected["lines"])
    for name in names:
        wanted_number = number_of(expected[name])
        if told.get(name) != wanted_number:
            yield f"{name} is {told.get(name)}, expected {wanted_number}"
    if "reported_cost_usd" in expected:
        found = (told.get("reported_cost") or {}).get("USD", "0")
        if Decimal(found) != Decimal(str(expected["reported_cost_usd"])):
            yield f"reported cost is {found} USD, expected {expected['reported_cost_usd']}"


def number_of(value: Any) -> Any:
    """An expected count; one written as '10 reps' is its number."""
    return int(value.split()[0]) if isinstance(value, str) else value


def aggregate_differences(told: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[str]:
    """Each total of a report kept for comparison that is not the expected one, in words."""
    names = {name: name for name in (*COUNTS, "web_search_requests")}
    names["uncached_input_tokens"] = "input_tokens_uncached"
    for name, written in names.items():
        if written in expected and told.get(name) != expected[written]:
            yield f"aggregate {name} is {told.get(name)}, expected {expected[written]}"
    amounts = (
        (told.get("credits"), expected.get("credits")),
        (
            (told.get("reported_cost") or {}).get("USD"),
            expected.get("reported_cost_usd"),
        ),
    )
    for found, wanted_amount in amounts:
        if wanted_amount is not None and Decimal(found or 0) != Decimal(str(wanted_amount)):
            yield f"aggregate amount is {found}, expected {wanted_amount}"


def line_differences(told: Mapping[str, Any], lines: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """Whether exactly the expected lines were rejected, and the right number of them counted."""
    rejected = [row["line"] for row in told.get("rejections", ())]
    if rejected != list(lines["rejected"]):
        yield f"rejected lines are {rejected}, expected {lines['rejected']}"
    counted = sum(len(found) for kind, found in lines.items() if kind not in {"rejected", "blank"})
    if told.get("recorded") != counted:
        yield f"recorded is {told.get('recorded')}, expected {counted}"


def main() -> int:
    """Runs the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("expected", type=Path, metavar="EXPECTED")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    sets = ", ".join(SETS)
    parser.add_argument("--only", nargs="*", default=(), help=f"patterns, or a set: {sets}")
    asked = parser.parse_args()
    expected = json.loads(asked.expected.read_text())
    names = list(wanted(expected, asked.only))
    if not names:
        sys.exit("no entry matches")
    paths = {name: path_of(asked.folder.resolve(), name) for name in names}
    told = told_by_command(list(paths.values()))
    right = 0
    for name, path in paths.items():
        row = told.get(str(path))
        found = ["nothing was printed for it"] if row is None else differences(row, expected[name])
        lines = list(found)
        right += not lines
        for line in lines:
            print(f"{name}: {line}")
    print(f"{right} of {len(names)}")
    return right != len(names)


if __name__ == "__main__":
    sys.exit(main())
