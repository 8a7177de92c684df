"""Questions over REST."""

import json
from decimal import Decimal

import pytest

from tests.factories import (
    ImportFactory,
    OrganizationFactory,
    RejectionFactory,
    SessionTotalFactory,
    UsageHourFactory,
    api_key,
)

pytestmark = pytest.mark.django_db
OCTOBER = {"from": "2026-10-01", "to": "2026-11-01"}


@pytest.fixture
def organization():
    return OrganizationFactory(time_zone="Asia/Kolkata")


@pytest.fixture
def ask(client, organization):
    headers = {"Authorization": f"Bearer {api_key(organization)}"}

    def asked(path, **params):
        return client.get(f"/api/v1/{path}", params, headers=headers)

    return asked


def test_usage_is_answered_with_exact_texts(ask, organization):
    UsageHourFactory(
        organization=organization,
        model="claude-sonnet",
        input_tokens=80660,
        cache_read_input_tokens=55340,
        cache_write_input_tokens=20900,
        output_tokens=1154,
        requests=6,
        cost=Decimal("0.192177"),
        credits=Decimal("0.0000005"),
    )
    SessionTotalFactory(organization=organization, input_tokens=654, output_tokens=10)
    SessionTotalFactory(organization=organization, input_tokens=900, output_tokens=10)
    answer = ask("usage", group="model", bucket="day", **OCTOBER)
    assert answer.headers["Content-Type"] == "application/json"
    body = answer.json()
    sums = {
        "requests": 6,
        "errors": 0,
        "input_tokens": 80660,
        "uncached_input_tokens": 4420,
        "cache_read_input_tokens": 55340,
        "cache_write_input_tokens": 20900,
        "cache_write_1h_input_tokens": None,
        "output_tokens": 1154,
        "reasoning_output_tokens": None,
        "web_search_requests": None,
        "cache_hit_rate": "0.68609",
        "input_output_ratio": "69.896014",
        "cost": {"USD": "0.192177"},
        "cost_parts": {
            "USD": {
                "input": "0.192177",
                "cache_read": "0",
                "cache_write": "0",
                "output": "0",
                "other": "0",
            }
        },
        "corrections": {},
        "cost_base": "0.192177",
        "cost_base_unknown": 0,
        "cost_base_currencies": ["USD"],
        "credits": "0.0000005",
        "credits_unknown": 0,
        "unpriced_requests": 0,
        "unpriced_tokens": 0,
        "assumed_requests": 0,
        "amount": "0.192177",
        "amount_is_whole": True,
    }
    assert body == {
        **OCTOBER,
        "time_zone": "Asia/Kolkata",
        "currency": "USD",
        "unit": "USD",
        "rows": [
            {
                "bucket": "2026-10-01",
                "group": "claude-sonnet",
                "group_label": "claude-sonnet",
                "sub": None,
                "sub_label": None,
                **sums,
            }
        ],
        "totals": {**sums, "sessions": 2, "session_ratio_median": "77.7"},
        "next": None,
    }


def test_an_hour_carries_its_offset(ask, organization):
    UsageHourFactory(organization=organization)
    (row,) = ask("usage", bucket="hour", **OCTOBER).json()["rows"]
    assert row["bucket"] == "2026-10-01T17:30:00+05:30"


def test_pages_hold_every_row_once(ask, organization):
    for n in range(5):
        UsageHourFactory(organization=organization, model=f"m{n}", cost=Decimal(n))
    seen, cursor = [], {}
    for _ in range(3):
        body = ask("usage", group="model", bucket="day", limit=2, **OCTOBER, **cursor).json()
        assert body["totals"]["cost"] == {"USD": "10"}
        seen += [row["group"] for row in body["rows"]]
        cursor = {"cursor": body["next"]}
    assert seen == ["m0", "m1", "m2", "m3", "m4"]
    assert body["next"] is None


@pytest.mark.parametrize("order", ["-started", "ended", "-cost", "ratio", "input"])
def test_sessions_are_paged_in_any_order(ask, organization, order):
    for n in range(3):
        SessionTotalFactory(
            organization=organization, session_id=f"s{n}", input_tokens=n + 1, output_tokens=3
        )
    seen, cursor = [], {}
    for _ in range(3):
        body = ask("sessions", order=order, limit=1, **OCTOBER, **cursor).json()
        assert body["totals"]["sessions"] == 3
        assert body["totals"]["session_ratio_median"] == "0.666667"
        seen += [row["session_id"] for row in body["rows"]]
        cursor = {"cursor": body["next"]}
    assert sorted(seen) == ["s0", "s1", "s2"]


def test_a_cursor_is_good_for_its_question_only(ask, organization):
    for n in range(3):
        UsageHourFactory(organization=organization, model=f"m{n}")
    cursor = ask("usage", group="model", limit=1, **OCTOBER).json()["next"]
    for other in ({"group": "provider"}, {"group": "model", "user": "ann"}):
        answer = ask("usage", cursor=cursor, **OCTOBER, **other)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor")


@pytest.mark.parametrize(
    ("path", "params", "code"),
    [
        ("usage", {"group": "colour"}, "unknown_group"),
        ("usage", {"from": "yesterday"}, "bad_date"),
        ("usage", {"from": "2026-10-02", "to": "2026-10-01"}, "range_reversed"),
        ("usage", {"bucket": "hour", "from": "2020-01-01"}, "too_many_points"),
        ("usage", {"colour": "red"}, "unknown_parameter"),
        ("usage", {"format": "xml"}, "unknown_parameter"),
        ("usage", {"model": "a\0"}, "bad_value"),
        ("usage", {"limit": "0"}, "bad_limit"),
        ("usage", {"limit": "1001"}, "bad_limit"),
        ("usage", {"limit": "٣"}, "bad_limit"),
        ("usage", {"limit": ["1", "2"]}, "repeated_parameter"),
        ("usage", {"cursor": "x"}, "bad_cursor"),
        ("usage", {"cursor": "a:b:c\0"}, "bad_cursor"),
        ("sessions", {"cursor": "é"}, "bad_cursor"),
        ("sessions", {"order": "colour"}, "unknown_order"),
        ("sessions", {"order": "--cost"}, "unknown_order"),
    ],
)
def test_bad_parameters_are_problems(ask, path, params, code):
    answer = ask(path, **params)
    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/problem+json"
    body = json.loads(answer.content)
    assert body["parameter"] in params
    assert (body["type"], body["title"], body["status"], body["code"]) == (
        "about:blank",
        "Bad Request",
        400,
        code,
    )


def test_an_import_is_told_as_the_command_prints_it(ask, organization):
    source = ImportFactory(
        organization=organization,
        format="openai_chat",
        lines=4,
        recorded=1,
        duplicates=2,
        rejected=1,
        change={"requests": 1, "input_tokens": 7, "cost": {"USD": "0.000000525"}},
    )
    RejectionFactory(source_import=source, line=3)
    body = ask(f"imports/{source.pk}").json()
    assert body.pop("received_at")
    assert body == {
        "import_id": source.pk,
        "path": "usage.jsonl",
        "format": "openai_chat",
        "state": "done",
        "error_code": None,
        "reason": None,
        "finished_at": None,
        "lines": 4,
        "recorded": 1,
        "updated": 0,
        "duplicates": 2,
        "conflicts": 0,
        "skipped": 0,
        "rejected": 1,
        "requests": 1,
        "errors": 0,
        "input_tokens": 7,
        "cache_read_input_tokens": None,
        "cache_write_input_tokens": None,
        "output_tokens": None,
        "reasoning_output_tokens": None,
        "cost": {"USD": "0.000000525"},
        "reported_cost": {},
        "unpriced_requests": 0,
        "rejections": [
            {
                "path": "usage.jsonl",
                "line": 3,
                "code": "bad_count",
                "reason": "input_tokens = -1",
            }
        ],
        "warnings": [],
        "aggregate": None,
        "assumed_times": 0,
    }


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"state": "failed", "error_code": "unknown_format"}, "refused"),
        ({"state": "failed", "error_code": "reading_failed"}, "failed"),
        ({"state": "quarantined"}, "failed"),
        ({"state": "done", "lines": 2, "duplicates": 2}, "unchanged"),
        ({"state": "reading"}, "reading"),
    ],
)
def test_an_import_has_the_state_of_the_command(ask, organization, fields, state):
    source = ImportFactory(organization=organization, **fields)
    assert ask(f"imports/{source.pk}").json()["state"] == state


@pytest.mark.parametrize("number", ["1", "99999999999999999999999", "x"])
def test_an_import_that_is_not_there_is_404(ask, number):
    answer = ask(f"imports/{number}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_other_methods_are_problems_too(client, organization):
    headers = {"X-Api-Key": api_key(organization)}
    answer = client.post("/api/v1/usage", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
