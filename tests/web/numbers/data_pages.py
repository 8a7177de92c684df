"""What came in: imports, one import, and the last deliveries of the sources."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.http import QueryDict

from accounting.domain.aggregates import AGGREGATE_COUNTS
from accounting.web import formatting
from ingest.formats import FORMATS
from ingest.formats.codes import REFUSALS, REJECTIONS
from ingest.web.progress import WARNINGS
from tests.web.numbers.reading import exact
from tests.web.numbers.saying import count, said, whole
from tests.web.numbers.seen import Seen


def imports(page: Seen) -> None:
    """/imports/ beside imports."""
    rows = page.rest.ask("imports")["rows"]
    page.table("list", [(_name(row), _outcome(row)) for row in rows])
    page.told("", said(len(FORMATS)))  # how many formats Tallybook reads


def _name(row: Mapping) -> str:
    return row["path"].rpartition("/")[2] if "/" in row["path"] else _door(row["path"])


def _door(path: str) -> str:
    return {"demo": "sample data"}.get(path, path)


def _outcome(row: Mapping) -> dict:
    return {
        "Lines": [count(row["lines"])],
        "Recorded": [count(row["recorded"])],
        "Updated": [count(row["updated"])],
        "Duplicates": [count(row["duplicates"])],
        "Conflicts": [count(row["conflicts"])],
        "Without usage": [count(row["skipped"])],
        "Rejected": [count(row["rejected"])] if row["rejected"] else said("0"),
        "Spend found": [exact(amount, currency) for currency, amount in row["cost"].items()],
    }


def one_import(page: Seen) -> None:
    """/imports/ID/ beside the import."""
    found = page.rest.ask(f"imports/{QueryDict(page.query)['key']}")
    amounts = [exact(amount, currency) for currency, amount in found["cost"].items()]
    if found["state"] in {"done", "unchanged"}:
        rejected, unpriced = whole(found["rejected"]), whole(found["unpriced_requests"] or None)
        failed, undated = whole(found["errors"] or None), whole(found["assumed_times"] or None)
        told = said(failed, whole(found["requests"]), whole(found["duplicates"]), rejected)
        page.told("result", told, amounts, said(unpriced, undated))
        page.told("result/Requests", count(found["requests"]), said(whole(found["errors"] or None)))
        for title, name in (
            ("Input tokens", "input_tokens"),
            ("Cached", "cache_read_input_tokens"),
            ("Written to cache", "cache_write_input_tokens"),
            ("Output tokens", "output_tokens"),
        ):
            page.told(f"result/{title}", count(found[name]))
        page.told("result/Spend", amounts)
        reported = [exact(amount, one) for one, amount in found["reported_cost"].items()]
        page.told("result/Reported by the source", reported)
    if found["lines"]:
        for title, name in (
            ("Lines", "lines"),
            ("Recorded", "recorded"),
            ("Updated", "updated"),
            ("Duplicates", "duplicates"),
            ("Conflicts", "conflicts"),
            ("Without usage", "skipped"),
            ("Rejected", "rejected"),
        ):
            page.told(f"result/{title}", count(found[name]))
    _report(page, found["aggregate"])
    _later(page)
    page.table("doubts", [_doubt(one) for one in found["warnings"]])
    _rejections(page, found["rejections"])
    _about(page, found)


def _report(page: Seen, aggregate: Mapping | None) -> None:
    """What a report says, which is in no sum."""
    if aggregate is None:
        return
    for name in AGGREGATE_COUNTS:
        page.told(f"report/{name}", count(aggregate[name]))
    reported = [exact(amount, one) for one, amount in aggregate["reported_cost"].items()]
    page.told("report/Reported cost", reported)


def _later(page: Seen) -> None:
    """Imports that would have to be undone first are named by their numbers."""
    named = {int(one) for one in page.numbers.told.pop("undo", [])}
    assert named <= {row["import_id"] for row in page.rest.ask("imports")["rows"]}


def _doubt(one: Mapping) -> tuple[str, dict]:
    lines = [whole(place["line"]) for place in one["places"]]
    return str(WARNINGS[one["code"]]), {
        "How many": said(whole(one["lines"])),
        "Lines": said(*lines),
    }


def _rejections(page: Seen, found: list[Mapping]) -> None:
    """Line by line; what stood in the line is told by the reason too."""
    for _name, cells in page.numbers.tables.get("rejections", []):
        assert set(cells.pop("Value", [])) <= set(cells.get("Reason", []))
    page.table("rejections", [_rejection(one) for one in found if one["line"]])


def _rejection(one: Mapping) -> tuple[str, dict]:
    meaning = {**REFUSALS, **REJECTIONS}.get(one["code"], "")
    return "Line", {
        "Line": said(whole(one["line"])),
        "Reason": said(one["reason"]),
        "Code": said(meaning),
    }


def _about(page: Seen, found: Mapping) -> None:
    """Its size and how long it took to read."""
    rows = page.numbers.tables.pop("about", [])
    told = {name: numbers for name, cells in rows for numbers in cells.values()}
    took = said(formatting.duration(_took(found))) if _took(found).total_seconds() >= 1 else []
    size = told.pop("Size", [])  # how large the file is, which is no number of the books
    assert len(size) <= 1
    assert told == ({"Received": took} if took else {})


def sources(page: Seen) -> None:
    """/sources/ beside the imports that were pushed, of which there are few."""
    pushed = [row for row in page.rest.ask("imports")["rows"] if row["path"] == "push"]
    page.table("deliveries", [_delivery(row, page) for row in pushed])


def _delivery(row: Mapping, page: Seen) -> tuple[str, dict]:
    told = _outcome(row)
    lag = formatting.duration(_took(row))
    received = formatting.moment_s(datetime.fromisoformat(row["received_at"]), page.zone)
    kept = ("Lines", "Recorded", "Duplicates", "Without usage", "Rejected")
    return received, {**{name: told[name] for name in kept}, "Read within": said(lag)}


def _took(row: Mapping) -> timedelta:
    return datetime.fromisoformat(row["finished_at"]) - datetime.fromisoformat(row["received_at"])
