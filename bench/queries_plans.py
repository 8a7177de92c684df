"""Writes docs/plans.md: how PostgreSQL answers the questions whose speed rests on an index.

    TALLYBOOK_DATA_DIR=… python -m bench.queries_plans

The folder's books are those that bench.books made. Buffers are what a plan reads; times are left out,
because they are the machine's.
"""

import os
import re
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from accounting.embedded.server import PrivateServer  # noqa: E402
from accounting.models import Organization, UsageEvent  # noqa: E402
from bench.books import SLUG  # noqa: E402
from bench.queries_asked import QUESTIONS  # noqa: E402

TARGET = Path(__file__).resolve().parent.parent / "docs" / "plans.md"
#: Question, which of its statements, and what its plan proves.
SHOWN = (
    ("requests, first page", 1, ("A page of requests looks in the days that have them: it reads the index "
     "`usageevent_organization_time` backwards, month by month from the newest, and stops when it is full.")),
    ("requests, deep page", 1, ("Behind a key the same index is entered at its moment: a page costs the "
     "same wherever it lies.")),
    ("session, turn by turn", 0, "A session's sums are one probe of the unique index of session totals."),
    ("session, turn by turn", 1, ("Its rows come by `usageevent_session`, from the months between its "
     "start and its end alone.")),
    ("sessions, newest first", 0, ("A page of sessions reads `sessionwhole_by_start` backwards and stops "
     "when it is full.")),
    ("sessions of one user", 0, ("A filter picks sessions by what they used, kept beside them in "
     "`accounting_sessionuse`: no request is read.")),
    ("truncation", 1, ("Answers that were cut come by `usageevent_cut`, and what took each up is one probe "
     "of `usageevent_session`.")),
    ("failures and retries", 3, ("Failed requests come by `usageevent_failed`, and what came next after "
     "each is one probe of `usageevent_trace` or `usageevent_session`.")),
    ("requests explained", 0, "A fair draw enters the key's index at a point and follows it."),
    ("30 days: total", 0, ("A month of everything is read from the rollup of days. Where most of its "
     "rows are wanted, a scan is right; see the next plan for few.")),
    ("one project, 90 days: day x model", 0, "One project's quarter: rows of days again, and no event."),
    ("one key, 90 days: day", 0, "A key has days of its own, and so has a user."),
    ("30 days: day x team", 0, "One attribute is kept by days too."),
    ("30 days: tag x project", 0, ("Any other pair is read from the days of everything, tags too: "
     "rows of `accounting_usagedaycell`, and no request.")),
    ("30 days: day x model", 0, ("By model, provider and status alone the few rows of one attribute's "
     "days are enough.")),
    ("latency, 30 days: model", 0, "Histograms of days, and no request."),
    ("tag keys", 0, "Tag keys come from the days of attributes."),
)  # fmt: skip
HEAD = """Written by `python -m bench.queries_plans` over the books of `python -m bench.books`:
{:,} events of 90 days, 20 models, 50 projects, 200 keys, 200,000 sessions. Buffers are pages of 8 kB.
"""
_NOISE = re.compile(
    r"\s+(Planning|Execution) Time:.*|\s*Worker \d+:.*|Memory: \S+|Memory Usage: \S+"
)


def main() -> int:
    with ExitStack() as stack:
        if settings.EMBEDDED:
            stack.enter_context(PrivateServer(settings.DATA_FOLDER).use())
        TARGET.write_text(written(Organization.objects.get(slug=SLUG)), encoding="utf-8")
    print(f"wrote {TARGET}")
    return 0


def written(organization: Organization) -> str:
    """The whole page."""
    count = UsageEvent.objects.of(organization.pk).count()
    parts = [
        "# Plans that the indexes are for\n",
        HEAD.format(count),
    ]
    for name, place, proves in SHOWN:
        plan = "\n".join(plan_of(organization, name, place))
        parts.append(
            f"## {name.capitalize()}, statement {place + 1}\n\n{proves}\n\n```\n{plan}\n```\n"
        )
    return "\n".join(parts)


def plan_of(organization: Organization, name: str, place: int) -> list[str]:
    """The plan of one of a question's statements."""
    asked = next(each for each in QUESTIONS if each.name == name)
    statements: list[tuple[str, Any]] = []

    def noted(execute: Any, sql: str, params: Any, *rest: Any) -> Any:
        statements.append((sql, params))
        return execute(sql, params, *rest)

    with connection.execute_wrapper(noted):
        asked.ask(organization, 1)
    sql, params = statements[place]
    with connection.cursor() as cursor:
        cursor.execute(
            f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, COSTS OFF, SUMMARY OFF) {sql}", params
        )
        lines = [_NOISE.sub("", line).rstrip() for (line,) in cursor.fetchall()]
    return [line[:160] for line in lines if line.strip()]


if __name__ == "__main__":
    sys.exit(main())
