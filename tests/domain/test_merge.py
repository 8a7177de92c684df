"""Two tellings become one record, and the order in which they arrive never shows."""

from datetime import timedelta
from functools import reduce
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from accounting.domain.usage import conflicts, merge
from tests.records import NOON, usage_record

tellings = st.builds(
    usage_record,
    at=st.integers(0, 3).map(lambda minutes: NOON + timedelta(minutes=minutes)),
    project_id=st.sampled_from([1, 2]),
    session_id=st.sampled_from(["", "a", "b"]),
    place=st.fixed_dictionaries({"is_sidechain": st.booleans(), "user_id": st.sampled_from("xy")}),
    usage_state=st.sampled_from(["reported", "partial", "missing"]),
    output_tokens=st.sampled_from([None, 1, 300]),
    finish_reason=st.sampled_from(["", "stop"]),
    status=st.sampled_from(["ok", "error", "pending"]),
    response_model=st.sampled_from(["opal", "flint"]),
)


@given(tellings, tellings)
def test_merge_is_commutative(one, two):
    assert merge(one, two) == merge(two, one)


@given(tellings, tellings, tellings)
def test_merge_is_associative(one, two, three):
    assert merge(merge(one, two), three) == merge(one, merge(two, three))


@given(tellings)
def test_merge_is_idempotent(one):
    assert merge(one, one) == one


@given(st.lists(tellings, min_size=1, max_size=4))
def test_every_order_of_arrival_gives_the_same_record(records):
    results = [reduce(merge, order) for order in permutations(records)]

    assert all(result == results[0] for result in results)


def test_the_longest_answer_of_a_stream_wins_and_the_earliest_time():
    early = usage_record(at=NOON, output_tokens=1, session_id="first")
    late = usage_record(at=NOON + timedelta(seconds=3), output_tokens=312, session_id="copy")

    merged = merge(late, early)

    assert merged.use.counts.output_tokens == 312
    assert merged.place.started_at == NOON
    assert merged.place.session_id == "first"


def test_a_replay_on_a_sidechain_does_not_take_the_request_from_the_main_chain():
    main = usage_record(place={"is_sidechain": False}, session_id="z")
    side = usage_record(place={"is_sidechain": True}, session_id="a")

    assert merge(side, main).place.session_id == "z"


def test_reported_usage_beats_missing_usage_of_a_longer_wait():
    assert (
        merge(
            usage_record(usage_state="missing"), usage_record(output_tokens=5)
        ).use.counts.output_tokens
        == 5
    )


def test_equally_complete_tellings_with_other_counts_are_in_conflict():
    one, two = (
        usage_record(input_tokens=10, output_tokens=5),
        usage_record(input_tokens=11, output_tokens=5),
    )

    assert conflicts(one.use, two.use)


def test_another_log_of_the_same_call_that_knows_less_is_no_conflict():
    one = usage_record(input_tokens=10, output_tokens=5, cache_read_input_tokens=4)
    two = usage_record(input_tokens=10, output_tokens=5, source="other")

    assert not conflicts(one.use, two.use)


def test_one_source_that_names_another_model_under_the_same_id_is_in_conflict():
    one, two = (
        usage_record(output_tokens=5, source="native", response_model=model)
        for model in ("opal", "flint")
    )

    assert conflicts(one.use, two.use)


def test_a_request_that_has_ended_is_never_running_again():
    running, failed = (
        usage_record(status=status, usage_state="missing") for status in ("pending", "error")
    )

    assert merge(running, failed).use.status == "error"
