"""Claude Code's log export."""

from decimal import Decimal

from tests.formats.folders import read_folder
from tests.formats.reading import Books, refused, sample, told, totals


def outcomes():
    return list(read_folder("claude_code_otel"))


def test_totals_are_right():
    books = Books.of(outcomes())
    assert totals(books) == (2, 18412, 17200, 1200, 295, None)
    assert books.errors == 1


def test_numbers_may_be_texts_and_money_keeps_its_digits():
    first = outcomes()[1].records[0]
    assert first.use.counts.input_tokens == 9203
    assert first.use.reported_cost == Decimal("0.0105090")
    assert (first.use.speed, first.use.duration_ms) == ("fast", 2750.0)
    assert first.identity.gateway_request_id == "req_1"
    assert outcomes()[2].records[0].use.reported_cost == Decimal("0.003612")


def test_an_event_that_was_sent_again_counts_once():
    assert Books.of([*outcomes()[2:3], *outcomes()[3:4]]).requests == 1


def test_an_error_keeps_its_status_and_not_its_text():
    use = outcomes()[4].records[0].use
    assert (use.status, use.http_status, use.error_type) == ("error", 529, "api_error")
    assert use.error_origin == "upstream"


def test_the_resource_tells_team_and_cost_center():
    place = outcomes()[1].records[0].place
    assert (place.team, place.cost_center, place.environment) == ("shop", "4711", "dev")
    assert (place.user_id, place.session_id, place.turn_id) == ("mia@example.com", "s-1", "p-1")
    assert place.started_at.isoformat() == "2026-04-07T08:00:04.100000+00:00"


def test_a_bad_record_costs_no_neighbour():
    assert refused(outcomes()) == [(3, "bad_count")]


def test_names_in_snake_case_mean_the_same():
    body = sample("claude_code_otel/logs.jsonl")
    names = ("resource_logs", "scope_logs", "log_records", "time_unix_nano", "string_value")
    for camel, snake in zip(
        ("resourceLogs", "scopeLogs", "logRecords", "timeUnixNano", "stringValue"),
        names,
        strict=True,
    ):
        body = body.replace(camel.encode(), snake.encode())
    assert Books.of(told("claude_code_otel", body)) == Books.of(outcomes())
