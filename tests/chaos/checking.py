"""Whether the books hold exactly what was promised, once, with sums that agree."""

import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from tests.chaos.clients import GROWTH, event
from tests.chaos.processes import wait_until


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is wrong with the books; all zero and empty when nothing is."""

    lost: int
    doubled: int
    different: int
    never_sent: int
    rollup_differences: int
    unfinished: int
    unconserved: int
    miscounted: int
    wrong_hours: int

    def is_right(self):
        return self == RIGHT


RIGHT = Verdict(
    lost=0,
    doubled=0,
    different=0,
    never_sent=0,
    rollup_differences=0,
    unfinished=0,
    unconserved=0,
    miscounted=0,
    wrong_hours=0,
)
#: US dollars for a million tokens: fresh input, cached input, output. Written out, not asked for.
PRICES = {
    "gpt-4o": (Decimal("2.5"), Decimal("1.25"), Decimal(10)),
    "gpt-4o-mini": (Decimal("0.15"), Decimal("0.075"), Decimal("0.6")),
}
WAITING = "SELECT count(*) FROM ingest_inboxchunk WHERE state <> 'done'"
STORED = "SELECT response_id, input_tokens, output_tokens, model FROM accounting_usageevent"
HOURS = """
    SELECT hour, model, sum(requests)::bigint, sum(input_tokens)::bigint,
        sum(cache_read_input_tokens)::bigint, sum(output_tokens)::bigint, sum(cost)
    FROM accounting_usagehour
    GROUP BY hour, model
"""
UNFINISHED = "SELECT count(*) FROM accounting_import WHERE state <> 'done'"
UNCONSERVED = """
    SELECT count(*) FROM accounting_import WHERE lines <> (
        recorded + updated + duplicates + conflicts + skipped + rejected) OR rejected > 0
"""
MISCOUNTED = """
    SELECT (SELECT coalesce(sum(recorded), 0)::bigint FROM accounting_import)
        - (SELECT count(*) FROM accounting_usageevent)
"""


def wait_until_read(rig, *, seconds=300):
    def is_read():
        rig.revive()
        return rig.value(WAITING) == 0

    wait_until(is_read, seconds=seconds, what="reading the inbox")


def verdict(rig, journal):
    """Compare the books with the journal, by statements and commands, not by our own code."""
    stored = rig.rows(STORED)
    found = {}
    for response_id, input_tokens, output_tokens, model in stored:
        number = int(response_id.removeprefix("chaos-"))
        told = event(number)
        version, rest = divmod(output_tokens - told["output_tokens"], GROWTH)
        is_so = (input_tokens, model, rest) == (told["input_tokens"], told["model"], 0)
        found[number] = version if is_so else -1
    sent, promised = journal.sent, journal.promised
    return Verdict(
        lost=sum(found.get(number, -1) < version for number, version in promised.items()),
        doubled=len(stored) - len(found),
        different=sum(version > sent.get(n, -1) or version < 0 for n, version in found.items()),
        never_sent=len(found.keys() - sent.keys()),
        rollup_differences=rollup_differences(rig),
        unfinished=rig.value(UNFINISHED),
        unconserved=rig.value(UNCONSERVED),
        miscounted=rig.value(MISCOUNTED),
        wrong_hours=wrong_hours(rig, found),
    )


def wrong_hours(rig, versions):
    """How many hours of a model have other sums, or another cost, than an oracle that adds up events.

    versions: event number -> the version that the books hold.
    """
    told = {(at, model): tuple(sums) for at, model, *sums in rig.rows(HOURS)}
    right = hours_of(versions)
    return sum(told.get(key) != right.get(key) for key in told.keys() | right.keys())


def hours_of(versions):
    """(hour in UTC, model) -> requests, input, cache read and output tokens, US dollars."""
    hours = defaultdict(lambda: (0, 0, 0, 0, Decimal(0)))
    for number, version in versions.items():
        told = event(number, version)
        at = datetime.fromisoformat(told["started_at"]).astimezone(UTC)
        fresh, cached, output = PRICES[told["model"]]
        tokens, read = told["input_tokens"], told["cache_read_input_tokens"]
        said = told["output_tokens"]
        # Millionths by moving the point: nothing is divided, nothing is rounded.
        cost = (fresh * (tokens - read) + cached * read + output * said).scaleb(-6)
        key = at.replace(minute=0, second=0, microsecond=0), told["model"]
        added = zip(hours[key], (1, tokens, read, said, cost), strict=True)
        hours[key] = tuple(before + more for before, more in added)
    return dict(hours)


def rollup_differences(rig):
    _, said = rig.manage("rollups", "verify", "--json")
    return sum(json.loads(line)["differences"] for line in said.splitlines() if line[:1] == "{")
