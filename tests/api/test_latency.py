"""Latencies over REST."""

import pytest

from tests.factories import api_key
from tests.queries.posted import posted, priced_organization

pytestmark = pytest.mark.django_db
OCTOBER = {"from": "2026-10-01", "to": "2026-11-01"}
NONE = {"requests": 0, "p50_ms": None, "p95_ms": None, "p99_ms": None}


@pytest.fixture
def ask(client):
    organization = priced_organization()
    posted(
        organization,
        *({"ttft_ms": float(n)} for n in range(1, 101)),
        {"response_model": "jade", "tpot_ms": 20.0, "place": {"user_id": "ann"}},
    )
    headers = {"Authorization": f"Bearer {api_key(organization)}"}

    def asked(**params):
        return client.get("/api/v1/latency", {**OCTOBER, **params}, headers=headers)

    return asked


def test_percentiles_are_numbers_of_milliseconds(ask):
    answer = ask(group="model", bucket="day").json()
    jade, opal = answer["rows"]
    assert (jade["bucket"], jade["group"], jade["sub"]) == ("2026-10-01", "jade", None)
    assert (jade["tpot"]["requests"], jade["ttft"], jade["duration"]) == (1, NONE, NONE)
    assert opal["ttft"]["requests"] == 100
    assert opal["ttft"]["p50_ms"] == pytest.approx(50, rel=0.025)
    assert opal["ttft"]["p99_ms"] == pytest.approx(99, rel=0.025)
    assert answer["totals"] == {
        **{kind: jade[kind] for kind in ("tpot", "duration")},
        "ttft": opal["ttft"],
    }
    assert (answer["is_slow"], answer["next"]) == (False, None)


def test_what_no_histogram_keeps_is_slow_and_says_the_same(ask):
    answer = ask(group="user").json()
    assert [row["group"] for row in answer["rows"]] == ["", "ann"]
    assert answer["is_slow"]
    assert answer["totals"] == ask().json()["totals"]
    assert [
        row["group"] for row in ask(user="ann", fields="group", group="model").json()["rows"]
    ] == ["jade"]


def test_pages_follow_one_another(ask):
    first = ask(group="model", limit=1).json()
    assert [row["group"] for row in first["rows"]] == ["jade"]
    second = ask(group="model", limit=1, cursor=first["next"]).json()
    assert [row["group"] for row in second["rows"]] == ["opal"]
    assert (second["next"], second["totals"]) == (None, first["totals"])


@pytest.mark.parametrize(
    "params", [{"metric": "cost"}, {"compare": "prev"}, {"metric": "ttft_p95"}]
)
def test_what_only_pages_draw_is_no_parameter(ask, params):
    assert ask(**params).json()["code"] == "unknown_parameter"
