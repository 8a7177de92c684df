"""Usage and costs in OpenAI's shape: buckets, groups, conditions, pages and refusals."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from accounting.services.tenants import create_api_key
from tests.factories import OrganizationFactory, ProjectFactory, UsageHourFactory, api_key
from tests.queries.posted import posted, priced_organization, project_of

pytestmark = pytest.mark.django_db
DAY_S = 86_400
OCTOBER_1 = int(datetime(2026, 10, 1, tzinfo=UTC).timestamp())
SPAN = {"start_time": OCTOBER_1, "end_time": OCTOBER_1 + 3 * DAY_S}


@pytest.fixture
def organization():
    return priced_organization()


@pytest.fixture
def get(client, organization):
    key = api_key(organization)

    def asked(path, **params):
        answer = client.get(
            f"/openai/v1/organization/{path}", params, headers={"Authorization": f"Bearer {key}"}
        )
        # Amounts are numbers with every digit, which floats would lose.
        return answer, json.loads(answer.content, parse_float=Decimal)

    return asked


def at(text):
    return datetime.fromisoformat(text)


def buckets(found):
    return [(one["start_time"], one["end_time"], len(one["results"])) for one in found["data"]]


def test_every_bucket_is_there_and_holds_its_usage(organization, get):
    posted(
        organization,
        {"input_tokens": 100, "cache_read_input_tokens": 40},
        at=at("2026-10-01T12:00Z"),
    )
    posted(organization, {"input_tokens": 7, "output_tokens": 1}, at=at("2026-10-03T23:59Z"))
    _, found = get("usage/completions", **SPAN)
    assert (found["object"], found["has_more"], found["next_page"]) == ("page", False, None)
    assert buckets(found) == [
        (OCTOBER_1, OCTOBER_1 + DAY_S, 1),
        (OCTOBER_1 + DAY_S, OCTOBER_1 + 2 * DAY_S, 0),
        (OCTOBER_1 + 2 * DAY_S, OCTOBER_1 + 3 * DAY_S, 1),
    ]
    (first,) = found["data"][0]["results"]
    assert first == {
        "object": "organization.usage.completions.result",
        "input_tokens": 100,
        "input_uncached_tokens": 60,
        "input_cached_tokens": 40,
        "input_cache_write_tokens": None,
        "output_tokens": 10,
        "num_model_requests": 1,
        "project_id": None,
        "user_id": None,
        "api_key_id": None,
        "model": None,
        "service_tier": None,
        "batch": None,
    }


def test_results_are_grouped_by_all_that_is_asked_for(organization, get):
    posted(
        organization,
        {"response_model": "opal", "place": {"user_id": "ann"}, "service_tier": "flex"},
        {"response_model": "jade", "place": {"user_id": ""}},
    )
    groups = ["project_id", "user_id", "model", "api_key_id", "service_tier"]
    for name in ("group_by", "group_by[]"):
        _, found = get("usage/completions", **SPAN, **{name: groups})
        results = found["data"][0]["results"]
        assert [[one[group] for group in groups] for one in results] == [
            ["default", None, "jade", None, None],
            ["default", "ann", "opal", None, "flex"],
        ]


def test_costs_stand_apart_by_currency_and_keep_every_digit(organization, get):
    project = project_of(organization)
    for currency, cost in (("USD", "0.000000525"), ("CNY", "12345678.901234567891")):
        UsageHourFactory(
            organization=organization, project_id=project.pk, currency=currency, cost=Decimal(cost)
        )
    _, found = get("costs", **SPAN, group_by="project_id")
    amounts = [(one["amount"], one["project_id"]) for one in found["data"][0]["results"]]
    assert amounts == [
        ({"value": Decimal("12345678.901234567891"), "currency": "cny"}, "default"),
        ({"value": Decimal("0.000000525"), "currency": "usd"}, "default"),
    ]


def test_what_has_no_price_stands_in_one_of_a_groups_results(organization, get):
    project = project_of(organization)
    for currency, unpriced in (("USD", 2), ("CNY", 1)):
        UsageHourFactory(
            organization=organization,
            project_id=project.pk,
            currency=currency,
            cost=Decimal(5),
            cost_input=Decimal(3),
            cost_output=Decimal(2),
            unpriced_requests=unpriced,
            unpriced_tokens=10 * unpriced,
        )
    for group, counts in (("project_id", [3, 0]), ("line_item", [3, 0, 0, 0])):
        _, found = get("costs", **SPAN, group_by=group)
        results = found["data"][0]["results"]
        assert [one["unpriced_requests"] for one in results] == counts
        assert [one["unpriced_tokens"] for one in results] == [10 * n for n in counts]
    # Where the first is not asked for, the first that is.
    item = results[-1]["line_item"]
    _, found = get("costs", **SPAN, group_by="line_item", line_items=item)
    assert [one["unpriced_requests"] for one in found["data"][0]["results"]] == [3, 0]


def test_line_items_are_kinds_of_a_models_tokens_and_add_up(organization, get):
    posted(
        organization,
        {
            "input_tokens": 3_000_000,
            "cache_read_input_tokens": 1_000_000,
            "output_tokens": 1_000_000,
        },
        {"response_model": "jade", "input_tokens": 1_000_000, "output_tokens": 0},
    )
    _, found = get("costs", **SPAN, group_by="line_item")
    results = found["data"][0]["results"]
    assert [(one["line_item"], one["amount"]["value"], one["quantity"]) for one in results] == [
        ("jade, input_tokens", 3, 1_000_000),
        ("opal, input_tokens", 1, 2_000_000),
        ("opal, cached_input_tokens", Decimal("0.1"), 1_000_000),
        ("opal, output_tokens", Decimal("0.075"), 1_000_000),
    ]
    wanted = ["opal, output_tokens", "jade, input_tokens"]
    _, found = get("costs", **SPAN, group_by="line_item", line_items=wanted)
    assert [one["line_item"] for one in found["data"][0]["results"]] == sorted(wanted)


def test_what_has_no_price_is_no_zero(organization, get):
    posted(organization, {"response_model": "ruby", "input_tokens": 90, "output_tokens": 9})
    _, found = get("costs", **SPAN)
    (result,) = found["data"][0]["results"]
    assert (result["amount"], result["unpriced_requests"], result["unpriced_tokens"]) == (
        None,
        1,
        99,
    )


def test_conditions_choose_usage(organization, get):
    other = ProjectFactory(organization=organization, slug="other")
    posted(organization, {}, {"response_model": "jade"}, {"project_id": other.pk})
    for condition, requests in (
        ({"models[]": ["jade", "ruby"]}, 1),
        ({"models": "opal"}, 2),
        ({"project_ids": "other"}, 1),
        ({"user_ids[]": "nobody"}, 0),
        ({"api_key_ids": "none"}, 0),
    ):
        _, found = get("usage/completions", **SPAN, **condition)
        counted = [r["num_model_requests"] for one in found["data"] for r in one["results"]]
        assert sum(counted) == requests, condition


def test_pages_follow_each_other_to_the_last_bucket(organization, get):
    for day in range(9):
        posted(organization, {"input_tokens": 10}, at=at("2026-10-01T12:00Z") + timedelta(days=day))
    params = {"start_time": OCTOBER_1, "end_time": OCTOBER_1 + 9 * DAY_S, "limit": 4}
    starts, tokens, page = [], 0, {}
    while True:
        _, found = get("usage/completions", **params, **page)
        starts += [one["start_time"] for one in found["data"]]
        tokens += sum(r["input_tokens"] for one in found["data"] for r in one["results"])
        if not found["has_more"]:
            break
        page = {"page": found["next_page"]}
    assert starts == [OCTOBER_1 + DAY_S * n for n in range(9)]
    assert tokens == 90
    answer, found = get("usage/completions", **{**params, "models": "opal"}, **page)
    assert (answer.status_code, found["error"]["code"]) == (400, "bad_cursor")


def test_days_and_hours_are_those_of_the_books(client):
    organization = OrganizationFactory(time_zone="Asia/Kolkata")
    hour = at("2026-10-01T18:30Z")  # midnight there
    UsageHourFactory(organization=organization, hour=hour, input_tokens=5)
    headers = {"X-Api-Key": api_key(organization)}
    midnight = int(hour.timestamp())
    for width, length in (("1d", DAY_S), ("1h", 3_600)):
        found = client.get(
            "/openai/v1/organization/usage/completions",
            {"start_time": midnight, "end_time": midnight + length, "bucket_width": width},
            headers=headers,
        ).json()
        assert buckets(found) == [(midnight, midnight + length, 1)]


def test_windows_that_adjoin_count_everything_once(client):
    organization = OrganizationFactory(time_zone="Asia/Shanghai")
    first = at("2026-10-01T00:00Z")  # 08:00 there
    for hour in range(72):
        UsageHourFactory(
            organization=organization, hour=first + timedelta(hours=hour), input_tokens=1
        )
    headers = {"X-Api-Key": api_key(organization)}

    def tokens(start, end, width):
        found = client.get(
            "/openai/v1/organization/usage/completions",
            {"start_time": start, "end_time": end, "bucket_width": width, "limit": 31},
            headers=headers,
        ).json()
        return [
            (one["start_time"], one["end_time"], sum(r["input_tokens"] for r in one["results"]))
            for one in found["data"]
        ]

    # A day of UTC is 16 hours of one day of the books and 8 of the next.
    midnight = OCTOBER_1 + 16 * 3_600
    assert tokens(OCTOBER_1, OCTOBER_1 + DAY_S, "1d") == [
        (OCTOBER_1, midnight, 16),
        (midnight, OCTOBER_1 + DAY_S, 8),
    ]
    # Moments within an hour mean its beginning, at both ends.
    for shift in (0, 60, 3_599):
        for width in ("1d", "1h"):
            windows = [
                tokens(
                    OCTOBER_1 + shift + n * 12 * 3_600,
                    OCTOBER_1 + shift + (n + 1) * 12 * 3_600,
                    width,
                )
                for n in range(6)
            ]
            assert [sum(count for *_, count in one) for one in windows] == [12] * 6


@pytest.mark.parametrize(
    ("path", "params", "param", "code"),
    [
        ("costs", {}, "start_time", "missing_from"),
        ("costs", {"start_time": "soon"}, "start_time", "bad_time"),
        ("costs", {"start_time": "99999999999"}, "start_time", "bad_time"),
        ("costs", {"start_time": "-1"}, "start_time", "bad_time"),
        ("costs", {**SPAN, "end_time": OCTOBER_1}, "end_time", "range_reversed"),
        (
            "costs",
            {"start_time": OCTOBER_1 + 60, "end_time": OCTOBER_1 + 120},
            "end_time",
            "range_reversed",
        ),
        ("costs", {**SPAN, "bucket_width": "1h"}, "bucket_width", "unknown_bucket"),
        ("usage/completions", {**SPAN, "bucket_width": "1m"}, "bucket_width", "unknown_bucket"),
        ("usage/completions", {**SPAN, "limit": "32"}, "limit", "bad_limit"),
        ("usage/completions", {**SPAN, "limit": "-1"}, "limit", "bad_limit"),
        ("usage/completions", {**SPAN, "limit": "1000000000"}, "limit", "bad_limit"),
        ("usage/completions", {**SPAN, "page": "forged"}, "page", "bad_cursor"),
        ("usage/completions", {**SPAN, "batch": "true"}, "batch", "unknown_parameter"),
        ("usage/completions", {**SPAN, "group_by[]": "password"}, "group_by", "unknown_group"),
        ("usage/completions", {**SPAN, "models": "x" * 201}, "model", "bad_value"),
        ("costs", {**SPAN, "group_by": "model"}, "group_by", "unknown_group"),
        ("costs", {**SPAN, "line_items": "opal, output_tokens"}, "line_items", "bad_value"),
        (
            "costs",
            {**SPAN, "line_items": "opal", "group_by": "line_item"},
            "line_items",
            "bad_value",
        ),
        (
            "usage/completions",
            {"start_time": 1_600_000_000, "end_time": 4_000_000_000, "bucket_width": "1h"},
            "bucket",
            "too_many_points",
        ),
    ],
)
def test_a_wrong_question_is_refused_in_the_shape_of_the_sdk(get, path, params, param, code):
    answer, found = get(path, **params)
    assert answer.status_code == 400
    error = found["error"]
    assert (error["param"], error["code"], error["type"]) == (param, code, "invalid_request_error")
    assert error["message"]


def test_keys_scopes_and_projects_are_those_of_rest(client, organization):
    path = "/openai/v1/organization/costs"
    assert client.get(path, SPAN).status_code == 401
    pushing = api_key(organization, scopes=["ingest"])
    answer = client.get(path, SPAN, headers={"X-Api-Key": pushing})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "missing_scope")
    own, other = project_of(organization), ProjectFactory(organization=organization)
    posted(organization, {"input_tokens": 2}, {"project_id": other.pk, "input_tokens": 5})
    limited = create_api_key(
        organization_id=organization.pk,
        project_id=own.pk,
        name="limited",
        scopes=["read"],
        is_limited=True,
    )
    found = client.get(
        "/openai/v1/organization/usage/completions", SPAN, headers={"X-Api-Key": limited}
    ).json()
    assert [r["input_tokens"] for one in found["data"] for r in one["results"]] == [2]
