"""token_timing.jsonl: one measured answer per line, as home-made load tests write it."""

from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import NOTHING_REPORTED, Identity
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    Time,
    Unit,
)
from ingest.formats.bench_records import measured
from ingest.formats.error_names import error_name
from ingest.formats.fields import milliseconds, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.occurrences import Seen, occurrence
from ingest.formats.states import read_in_order
from ingest.formats.timing_rows import ROWS, doubts_of, input_of, output_of, start_of

_OUTPUT_NAMES = {"tokens", "output_tokens", "completion_tokens"}


def recognise(sample: Sample) -> str:
    """ttft_ms beside a count of output tokens; with started_at they are Tallybook's own events."""
    if any("started_at" in each for each in sample.objects):
        return ""
    fits = any("ttft_ms" in each and _OUTPUT_NAMES & each.keys() for each in sample.objects)
    return "has ttft_ms and a count of tokens" if fits else ""


def _row(options: Options, seen: Seen, item: Item) -> Outcome:
    row = ROWS.decoded(item)
    tokens, given = output_of(row), input_of(row)
    ttft = milliseconds(row.ttft_ms, "ttft_ms")
    tpot = milliseconds(row.tpot_ms, "tpot_ms")
    total = milliseconds(row.total_ms, "total_ms")
    failed = row.error not in (None, "", False)
    counts = TokenCounts(
        input_tokens=options.input_tokens if given is None else given, output_tokens=tokens
    )
    started_at, digest = start_of(row), fingerprint(row)
    # Equal rows of one run may stand far apart, in files of other workers: none is forgotten.
    number = occurrence(seen, digest)
    return measured(
        item,
        FORMAT,
        options,
        identity=Identity(fingerprint=fingerprint(options.run, digest.hex(), number)),
        started_at=started_at,
        counts=NOTHING_REPORTED if failed and not tokens else counts,
        where={"line": item.line},
        warnings=() if failed else tuple(doubts_of(row, tokens, (ttft, tpot, total))),
        model=text(row.model, "model"),
        status="error" if failed else "ok",
        error_type=error_name(row.error) if isinstance(row.error, str) else "",
        duration_ms=total,
        ttft_ms=None if failed else ttft,
        tpot_ms=tpot if tokens > 1 else None,
    )


FORMAT = Format(
    name="token_timing",
    title="Token timing",
    unit=Unit.JSON,
    scope=Scope.INPUT,
    convention=Convention.INCLUSIVE,
    key="the run's name, what the record says, and which of its equals in the run it is",
    where="your own load test; --set provider= model= run= and, if you know it, input_tokens=",
    source="the project's own convention",
    recognise=recognise,
    read=read_in_order(Seen, _row),
    new_state=Seen,
    restamps=True,
    time=Time.ASSUMED,
    purpose="benchmark",
)
