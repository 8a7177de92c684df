"""Each format's golden samples against totals written out by hand."""

from decimal import Decimal

import pytest

from tests.formats.reading import Books, read_sample, refused, skipped, totals

CLAUDE = "claude_code/projects/-srv-shop/"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        # requests, input, cache read, cache write, output, reasoning
        ([CLAUDE + "s-1.jsonl"], (2, 18412, 17200, 1200, 550, None)),
        (
            [CLAUDE + "s-1.jsonl", CLAUDE + "s-1/subagents/agent-helper.jsonl"],
            (3, 19612, 17200, 1200, 700, None),
        ),
        (["litellm_payload/calls.jsonl"], (2, 1040, 700, 200, 58, 6)),
        (["litellm_spend_logs/rows.csv"], (2, 1040, 700, 200, 58, 6)),
        (
            ["litellm_payload/calls.jsonl", "litellm_spend_logs/rows.csv"],
            (2, 1040, 700, 200, 58, 6),
        ),
        (["openai_chat/completion.json"], (1, 900, 512, 0, 70, 30)),
        (["openai_chat/stream.sse"], (1, 20, 16, 0, 5, None)),
        (["openai_responses/responses.jsonl"], (2, 310, 200, 50, 104, 25)),
        (["openai_responses/stream.sse"], (1, 12, None, None, 3, None)),
        (["anthropic_messages/message.json"], (1, 60700, 0, 0, 720, None)),
        (["anthropic_messages/stream.sse"], (1, 4356, 4000, 350, 80, 20)),
        (["token_timing/run.jsonl"], (6, 512, None, None, 330, None)),
        (["native/events.jsonl"], (1, 1010, 400, None, 82, 30)),
    ],
)
def test_totals_are_right(names, expected):
    books = Books.of(outcome for name in names for outcome in read_sample(name))
    assert totals(books) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (CLAUDE + "s-1.jsonl", [(8, "not_json")]),
        ("litellm_spend_logs/rows.csv", [(5, "column_mismatch")]),
        ("token_timing/run.jsonl", [(4, "not_a_number"), (5, "not_an_object")]),
        ("native/events.jsonl", [(4, "bad_time"), (5, "unknown_field"), (6, "missing_field")]),
    ],
)
def test_bad_records_are_rejected_with_their_line(name, expected):
    assert refused(read_sample(name)) == expected


def test_lines_without_usage_are_skipped():
    assert skipped(read_sample(CLAUDE + "s-1.jsonl")) == [1, 2, 5]
    assert skipped(read_sample("litellm_payload/calls.jsonl")) == [4]


def test_a_request_stands_where_it_was_first_told():
    names = [CLAUDE + "s-1/subagents/agent-helper.jsonl", CLAUDE + "s-1.jsonl"]
    books = Books.of(outcome for name in names for outcome in read_sample(name))
    first = books.one("msg_first")
    assert first.place.started_at.isoformat() == "2026-04-07T08:00:04.100000+00:00"
    assert (first.place.is_sidechain, first.place.agent) == (False, "")
    assert first.place.working_folder == "/srv/shop"
    assert first.use.counts.output_tokens == 240
    assert first.use.finish_reason == "tool_use"
    assert first.restamps


def test_an_advisor_is_a_part_of_its_own_model():
    books = Books.of(read_sample(CLAUDE + "s-1/subagents/agent-helper.jsonl"))
    advisor = books.one("msg_advised", part=1)
    assert advisor.use.model == "claude-opus-4-6"
    assert advisor.use.counts.input_tokens == 700
    assert books.one("msg_advised").use.counts.input_tokens == 500
    assert books.requests == 2


def test_cache_writes_without_a_split_went_to_the_five_minute_cache():
    stream = Books.of(read_sample("anthropic_messages/stream.sse")).one("msg_flow").use.counts
    assert stream.cache_write_5m_input_tokens == 150
    assert stream.cache_write_1h_input_tokens == 200


def test_compaction_is_billed_beside_the_answer():
    books = Books.of(read_sample("anthropic_messages/message.json"))
    main, compaction = books.one("msg_compacted"), books.one("msg_compacted", part=1)
    assert (main.use.counts.input_tokens, compaction.use.counts.input_tokens) == (700, 60000)
    assert (main.use.service_tier, main.use.region) == ("priority", "us")
    assert compaction.use.operation == "compaction"
    assert main.place.time_quality == "assumed"


def test_a_gateways_own_cache_hit_is_counted_and_not_billed():
    books = Books.of(read_sample("litellm_payload/calls.jsonl"))
    hit = books.one("chatcmpl-hit_cache_hit1775548810.0")
    assert hit.use.gateway_cache_hit
    assert not hit.use.billable
    assert hit.use.counts.input_tokens == 40


def test_a_failed_call_is_an_error_without_usage():
    use = Books.of(read_sample("litellm_payload/calls.jsonl")).one("fail-1").use
    assert (use.status, use.usage_state, use.counts.input_tokens) == ("error", "missing", None)
    assert (use.http_status, use.error_type) == (429, "RateLimitError")
    assert (use.error_origin, use.provider) == ("upstream", "azure")


def test_litellm_tells_who_paid_and_how_long_it_took():
    told = Books.of(read_sample("litellm_payload/calls.jsonl")).one("chatcmpl-one")
    assert told.use.reported_cost == Decimal("0.00022500000000000002")
    assert (told.use.duration_ms, told.use.ttft_ms) == (2750.0, 500.0)
    assert (told.use.request_model, told.use.response_model) == ("writer", "claude-sonnet-4-5")
    assert told.use.max_output_tokens == 4096
    assert (told.place.team, told.place.user_id) == ("Shop", "mia")
    assert (told.place.api_key_name, told.place.cost_center) == ("shop-bot", "4711")
    assert told.place.environment == "prod"
    assert told.place.started_at.isoformat() == "2026-04-07T08:00:00.250000+00:00"


def test_a_polled_response_takes_its_last_state():
    books = Books.of(read_sample("openai_responses/responses.jsonl"))
    response = books.one("resp_a")
    assert (response.use.status, response.use.service_tier) == ("ok", "priority")
    assert response.use.duration_ms == 2000.0
    assert (response.place.session_id, response.place.user_id) == ("conv_1", "mia")
    assert books.one("resp_b").use.finish_reason == "max_output_tokens"
    assert books.errors == 1


def test_native_events_keep_every_name():
    outcomes = read_sample("native/events.jsonl")
    event = Books.of(outcomes).one("gen-1")
    assert outcomes[0].project == "shop"
    assert event.use.provider == "google"
    assert event.use.reported_cost == Decimal("0.001234567890123456")
    assert event.use.max_output_tokens == 4096
    assert event.place.started_at.isoformat() == "2026-04-07T08:00:00.123456+00:00"
    assert event.place.tags == (("feature", "search"),)
