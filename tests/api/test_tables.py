"""The raw rows, sessions, dimensions, runs and imports over REST."""

from datetime import timedelta
from decimal import Decimal

import pytest

from accounting.models import ApiKey, Run, UsageAggregate
from tests.api.asking import OCTOBER, asker
from tests.factories import ImportFactory, UsageHourFactory
from tests.queries.posted import NOON, posted


def test_a_request_is_told_with_the_line_it_was_read_from(asks, priced):
    source = ImportFactory(organization=priced, name="calls.jsonl")
    place = {"import_id": source.pk, "path": "a.jsonl", "line": 7, "byte_offset": 512}
    posted(priced, {"source": "native", "place": place, "max_output_tokens": 10})
    body = asks.october("requests")
    (row,) = body["rows"]
    assert len(row.pop("event")) == 32
    assert row == {
        "occurred_at": "2026-10-01T17:30:00+05:30",
        "part": 0,
        "status": "ok",
        "project": "default",
        "key": None,
        "user": None,
        "team": None,
        "session_id": None,
        "agent": None,
        "provider": "testing",
        "model": "opal",
        "request_model": None,
        "operation": "chat",
        "http_status": None,
        "error_type": None,
        "error_origin": None,
        "finish_reason": None,
        "usage_state": "reported",
        "input_tokens": 100,
        "cache_read_input_tokens": None,
        "cache_write_input_tokens": None,
        "output_tokens": 10,
        "reasoning_output_tokens": None,
        "max_output_tokens": 10,
        "duration_ms": None,
        "ttft_ms": None,
        "cost_state": "priced",
        "currency": "USD",
        "cost": "0.00005075",
        "credits": "0.05075",
        "unpriced_tokens": 0,
        "reported_cost": None,
        "reported_currency": None,
        "price_version": 1,
        "import_id": source.pk,
        "import_name": "calls.jsonl",
        "path": "a.jsonl",
        "line": 7,
        "byte_offset": 512,
        "source": "native",
    }
    assert (body["totals"]["requests"], body["totals"]["cost"]) == (1, {"USD": "0.00005075"})
    assert body["next"] is None


def test_the_event_that_a_row_names_is_explained(asks, priced):
    posted(priced, {})
    (row,) = asks.october("requests", fields="event")["rows"]
    (told,) = asks("explain", event=row["event"]).json()["rows"]
    assert (told["cost"], told["is_exact"]) == ("0.00005075", True)


def test_a_session_is_told_turn_by_turn(asks, priced):
    for minute in range(3):
        row = {"session_id": "a/b c", "input_tokens": 1_000 * (minute + 1)}
        posted(priced, row, at=NOON + timedelta(minutes=minute))
    pages = asks.pages("sessions/a%2Fb%20c", limit=2)
    assert [len(page["rows"]) for page in pages] == [2, 1]
    rows = [row for page in pages for row in page["rows"]]
    assert [(row["turn"], row["grown"], row["cost_so_far"]) for row in rows] == [
        (1, None, "0.00050075"),
        (2, 1_000, "0.0015015"),
        (3, 1_000, "0.00300225"),
    ]
    for page in pages:
        assert page["session_id"] == "a/b c"
        assert page["started_at"] == "2026-10-01T17:30:00+05:30"
        assert page["totals"]["cost"] == {"USD": "0.00300225"}


@pytest.mark.parametrize("session_id", ["nobody", "a%00b", "%20", "a" * 500, "é"])
def test_a_session_that_is_not_there_is_404(asks, session_id):
    answer = asks(f"sessions/{session_id}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_dimensions_are_listed_with_the_tags_of_the_range(asks, priced):
    posted(priced, {"place": {"tags": (("feature", "search"), ("tier", "gold"))}})
    rows = {row["name"]: row for row in asks.october("dimensions")["rows"]}
    assert rows["model"] == {
        "name": "model", "kind": "rollup", "relations": ["is", "is_not", "contains"],
    }  # fmt: skip
    kinds = {name: row["kind"] for name, row in rows.items()}
    assert (kinds["team"], kinds["session"]) == ("attribute", "field")
    assert [name for name, kind in kinds.items() if kind == "tag"] == ["tag:feature", "tag:tier"]
    before = asks("dimensions", **{"from": "2026-09-01", "to": "2026-10-01"}).json()["rows"]
    assert "tag" not in {row["kind"] for row in before}


def test_values_of_a_dimension_come_in_pages_and_are_narrowed(asks, priced):
    for model in ("opal", "jade", "ruby", "opal"):
        UsageHourFactory(organization=priced, model=model, hour=NOON)
    pages = asks.pages("dimensions/model", limit=2, **OCTOBER)
    found = [(row["value"], row["label"], row["requests"]) for p in pages for row in p["rows"]]
    assert found == [("jade", "jade", 1), ("opal", "opal", 2), ("ruby", "ruby", 1)]
    rows = asks.october("dimensions/model", **{"model~": "UB"})["rows"]
    assert [row["value"] for row in rows] == ["ruby"]


@pytest.mark.parametrize("name", ["password", "session", "tag:", "org__apikeys__hash", 'x" --'])
def test_what_is_no_dimension_has_no_values(asks, name):
    answer = asks(f"dimensions/{name}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_a_run_is_told_with_what_its_requests_cost(asks, priced):
    run = Run.objects.create(
        organization=priced, label="one", tool="vllm_bench", model="opal",
        settings={"rate": "4"}, started_at=NOON,
    )  # fmt: skip
    for n, (after_s, output) in enumerate([(0, 100), (1, 300)]):
        row = {
            "response_id": f"b{n}", "purpose": "benchmark", "output_tokens": output,
            "duration_ms": 4_000.0, "ttft_ms": 100.0 * (n + 1), "place": {"run_id": run.pk},
        }  # fmt: skip
        posted(priced, row, at=NOON + timedelta(seconds=after_s))
    UsageAggregate.objects.create(
        organization=priced, source_import=ImportFactory(organization=priced), run=run,
        source="vllm_bench", purpose="benchmark", period_start=NOON,
        period_end=NOON + timedelta(seconds=5), requests=2, notes={"output_throughput": "80.1"},
        fingerprint=bytes(16),
    )  # fmt: skip
    (row,) = asks("runs").json()["rows"]
    totals = row.pop("totals")
    assert (totals["requests"], totals["cost"]) == (2, {"USD": "0.00013"})
    assert row == {
        "run_id": run.pk,
        "label": "one",
        "tool": "vllm_bench",
        "model": "opal",
        "settings": {"rate": "4"},
        "started_at": "2026-10-01T17:30:00+05:30",
        "ttft_ms_p50": 150.0,
        "ttft_ms_p95": 195.0,
        "tpot_ms_p50": None,
        "tpot_ms_p95": None,
        "elapsed_s": 5.0,
        "output_tokens_per_second": "80",
        "cost_per_mtok_output": {"USD": "0.325"},
        "told": {
            "requests": 2,
            "input_tokens": None,
            "cache_read_input_tokens": None,
            "output_tokens": None,
            "reported_cost": None,
            "reported_currency": None,
            "elapsed_s": 5.0,
            "figures": {"output_throughput": "80.1"},
        },
    }


def test_imports_are_listed_newest_first_without_their_rejections(asks, priced):
    sources = [ImportFactory(organization=priced, name=f"{n}.jsonl") for n in range(3)]
    pages = asks.pages("imports", limit=2)
    rows = [row for page in pages for row in page["rows"]]
    assert [row["import_id"] for row in rows] == [source.pk for source in sources[::-1]]
    one = asks(f"imports/{sources[2].pk}").json()
    assert {
        **rows[0],
        "rejections": [],
        "warnings": [],
        "aggregate": None,
        "assumed_times": 0,
    } == one


def test_a_key_that_may_only_push_lists_its_own(client, priced):
    pusher = asker(client, priced, scopes=["ingest"])
    ImportFactory(organization=priced)
    mine = ImportFactory(organization=priced, api_key=ApiKey.objects.get())
    assert [row["import_id"] for row in pusher("imports").json()["rows"]] == [mine.pk]


def test_amounts_are_the_ones_of_the_books(asks, priced):
    posted(priced, {}, {"response_model": "jade"})
    told = asks.october("requests")
    assert sum(Decimal(row["cost"]) for row in told["rows"]) == Decimal("0.00050075")
    assert told["totals"]["cost"] == {"USD": "0.00050075"}
