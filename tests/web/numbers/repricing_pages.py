"""Repricing beside what `manage.py reprice --json` prints of a run; REST changes nothing and has no runs."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from django.http import QueryDict

from accounting.domain.money import plain
from accounting.models import RepriceRun
from accounting.queries.writing_explained import written_run
from accounting.web import formatting
from tests.web.numbers.reading import exact
from tests.web.numbers.saying import count, said, whole
from tests.web.numbers.seen import Seen


def runs(page: Seen) -> None:
    """/prices/reprice/: how many requests each run rated."""
    found = [written_run(run) for run in RepriceRun.objects.all()]
    rows = [(f"Repricing {one['run']}", {"Requests": said(whole(one["total"]))}) for one in found]
    page.table("runs", rows)


def one_run(page: Seen) -> None:
    """/prices/reprice/ID/: line by line, and the sums of the lines."""
    run = RepriceRun.objects.get(pk=QueryDict(page.query)["key"])
    written, lines = written_run(run), (run.outcome or run.draft)["rows"]
    sums: dict[str, list[Decimal]] = {}
    for line in lines:
        found = sums.setdefault(line["currency"], [Decimal(), Decimal(), Decimal()])
        for place, name in enumerate(("old_cost", "new_cost", "difference_cost")):
            found[place] += Decimal(line[name] or 0)
    for place, name in enumerate(("Before", "After", "Difference")):
        told = [exact(plain(found[place]), currency) for currency, found in sums.items()]
        page.told(f"result/{name}", told)
    page.told(
        "result/Requests that differ", count(written["changed"]), said(whole(written["events"]))
    )
    page.told("", said(f"Repricing {run.pk}"))
    page.table("lines", [_line(line) for line in lines])
    page.table("unpriced", [_unpriced(line) for line in run.draft.get("unpriced", ())])


def _line(line: Mapping) -> tuple[str, dict]:
    def amount(name: str) -> list[str]:
        return [] if line[name] is None else [exact(line[name], line["currency"])]

    return _month(line), {
        "Requests": said(whole(line["events"])),
        "Before": amount("old_cost"),
        "After": amount("new_cost"),
        "Difference": amount("difference_cost"),
    }


def _unpriced(line: Mapping) -> tuple[str, dict]:
    cells = {"Requests": said(whole(line["events"])), "Tokens": [count(line["tokens"])]}
    return _month(line), cells


def _month(line: Mapping) -> str:
    return formatting.month(date.fromisoformat(f"{line['month']}-01"))
