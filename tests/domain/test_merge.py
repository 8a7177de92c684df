"""Two tellings become one record, and the order in which they arrive never shows."""

from dataclasses import asdict, replace
from datetime import timedelta
from decimal import Decimal
from functools import reduce
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.domain.merging import conflicts, merge, merge_identities, merge_places
from accounting.domain.usage import Identity, Place, content_digest
from tests.records import NOON, usage_record

tellings = st.builds(
    usage_record,
    at=st.integers(0, 3).map(lambda minutes: NOON + timedelta(minutes=minutes)),
    project_id=st.sampled_from([1, 2]),
    session_id=st.sampled_from(["", "a", "b"]),
    place=st.fixed_dictionaries(
        {"is_sidechain": st.booleans()},
        optional={
            "user_id": st.sampled_from(["", "x", "y"]),
            "turn_id": st.sampled_from(["", "t", "u"]),
            "tags": st.sampled_from([(), (("a", "1"),), (("a", "2"), ("b", ""))]),
            "api_key_id": st.sampled_from([None, 0, 1]),
            "cost_center": st.sampled_from(["", "c", "d"]),
            "project_basis": st.sampled_from(["", "import", "rule", "default"]),
            "time_quality": st.sampled_from(["exact", "second", "assumed"]),
            "import_id": st.sampled_from([1, 2]),
            "path": st.sampled_from(["", "p"]),
            "line": st.sampled_from([1, 2]),
            "byte_offset": st.sampled_from([None, 0, 7]),
        },
    ),
    usage_state=st.sampled_from(["reported", "partial", "missing"]),
    output_tokens=st.sampled_from([None, 1, 300]),
    finish_reason=st.sampled_from(["", "stop"]),
    status=st.sampled_from(["ok", "error", "pending"]),
    response_model=st.sampled_from(["opal", "flint"]),
)


@given(tellings, tellings)
def test_merge_is_commutative(one, two):
    assert asdict(merge(one, two)) == asdict(merge(two, one))


@given(tellings, tellings, tellings)
def test_merge_is_associative(one, two, three):
    assert asdict(merge(merge(one, two), three)) == asdict(merge(one, merge(two, three)))


@given(tellings)
def test_merge_is_idempotent(one):
    assert asdict(merge(one, one)) == asdict(one)


@given(st.lists(tellings, min_size=1, max_size=4))
def test_every_order_of_arrival_gives_the_same_record(records):
    results = [asdict(reduce(merge, order)) for order in permutations(records)]

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


@pytest.mark.parametrize(
    ("one", "two", "disagree"),
    [
        # Less complete tellings are replaced, not contradicted.
        ({"input_tokens": 1, "output_tokens": 5}, {"input_tokens": 2, "output_tokens": 6}, False),
        ({"output_tokens": 5, "status": "ok"}, {"output_tokens": 5, "status": "error"}, True),
        ({"output_tokens": 5, "input_tokens": 1}, {"output_tokens": 5, "input_tokens": 2}, True),
        ({"output_tokens": 5, "input_tokens": 1}, {"output_tokens": 5}, False),
        ({"output_tokens": 5, "speed": "fast"}, {"output_tokens": 5}, False),
        (
            {"output_tokens": 5, "input_tokens": 1, "cache_read_input_tokens": 1},
            {"output_tokens": 5, "input_tokens": 1, "cache_read_input_tokens": 0},
            True,
        ),
    ],
)
def test_two_sources_disagree_only_about_what_both_tell(one, two, disagree):
    first, second = usage_record(source="a", **one).use, usage_record(source="b", **two).use
    assert conflicts(first, second) is conflicts(second, first) is disagree


def test_one_source_that_says_the_same_again_agrees():
    first, second = (usage_record(source="a", output_tokens=5).use for _ in range(2))
    assert not conflicts(first, second)


MORE_COMPLETE = [
    ({"status": "error", "usage_state": "missing"}, {"status": "pending", "output_tokens": 9}),
    ({"usage_state": "reported"}, {"usage_state": "partial", "output_tokens": 9}),
    ({"usage_state": "partial"}, {"usage_state": "estimated", "output_tokens": 9}),
    ({"usage_state": "estimated"}, {"usage_state": "missing", "output_tokens": 9}),
    ({"output_tokens": 0}, {"finish_reason": "stop"}),
    ({"output_tokens": 5}, {"output_tokens": 4, "finish_reason": "stop"}),
    ({"finish_reason": "stop"}, {"source_updated_at": NOON}),
    ({"source_updated_at": NOON}, {}),
    ({"source_updated_at": NOON}, {"source_updated_at": NOON - timedelta(seconds=1)}),
]


@pytest.mark.parametrize(("more", "less"), MORE_COMPLETE)
def test_the_more_complete_telling_stands(more, less):
    first, second = usage_record(**more), usage_record(**less)
    assert merge(first, second).use == merge(second, first).use == first.use


EARLIER = [
    ({"at": NOON - timedelta(seconds=1), "place": {"is_sidechain": True}}, {"session_id": "a"}),
    ({"session_id": "b"}, {"session_id": "a", "place": {"is_sidechain": True, "user_id": "u"}}),
]


@pytest.mark.parametrize(("earlier", "later"), EARLIER)
def test_the_place_is_whole_that_of_the_earliest_and_of_the_main_chain(earlier, later):
    first, second = usage_record(**earlier), usage_record(**later)
    # Compared by what they are, not by what makes them equal: where a telling stands does not.
    assert merge(first, second).place is first.place
    assert merge(second, first).place is first.place


#: Of two tellings of one moment: what each says, and what both come to.
JOINED = [
    ({"session_id": "s", "user_id": "u"}, {}, {"session_id": "s", "user_id": "u"}),
    ({"session_id": "b"}, {"session_id": "a"}, {"session_id": "a"}),
    (
        {"session_id": "s", "turn_id": "t"},
        {"session_id": "s"},
        {"session_id": "s", "turn_id": "t"},
    ),
    (
        {"session_id": "s", "turn_id": "u"},
        {"session_id": "s", "turn_id": "t"},
        {"session_id": "s", "turn_id": "t"},
    ),
    ({"session_id": "a"}, {"session_id": "b", "turn_id": "t"}, {"session_id": "a"}),
    ({"session_id": "a", "turn_id": ""}, {"turn_id": "t"}, {"session_id": "a"}),
    *(
        row
        for name in ("agent", "user_id", "team", "environment", "api_key_name", "working_folder")
        for row in (
            ({name: "a"}, {}, {name: "a"}),
            ({name: "b"}, {name: "a"}, {name: "a"}),
        )
    ),
    ({"api_key_id": 0}, {"api_key_id": None}, {"api_key_id": 0}),
    ({"api_key_id": 2}, {"api_key_id": 1}, {"api_key_id": 1}),
    ({"run_id": 7}, {}, {"run_id": 7}),
    ({"run_id": 7}, {"run_id": 0}, {"run_id": 0}),
    ({"tags": (("a", "1"),)}, {}, {"tags": (("a", "1"),)}),
    (
        {"is_sidechain": True, "agent": "a"},
        {"is_sidechain": True},
        {"is_sidechain": True, "agent": "a"},
    ),
    ({"tags": (("a", "z"),)}, {}, {"tags": (("a", "z"),)}),
    (
        {"tags": (("a", ""), ("b", "2"))},
        {"tags": (("a", "1"), ("b", "1"))},
        {"tags": (("a", "1"), ("b", "1"))},
    ),
    (
        {"tags": (("b", "2"),)},
        {"tags": (("a", "1"),)},
        {"tags": (("a", "1"), ("b", "2"))},
    ),
    ({"project_id": None}, {"project_id": 1}, {"project_id": 1}),
    ({"project_id": 2}, {"project_id": 1}, {"project_id": 1}),
    ({"cost_center": "c"}, {}, {"cost_center": "c"}),
    ({"cost_center": "d"}, {"cost_center": "c"}, {"cost_center": "c"}),
    (
        {"project_id": 1, "cost_center": "c"},
        {"project_id": 2, "project_basis": "default"},
        {"project_id": 2, "project_basis": "default"},
    ),
    (
        {"project_id": 1, "project_basis": "default", "cost_center": "c"},
        {"project_id": 2, "project_basis": "rule"},
        {"project_id": 2, "project_basis": "rule"},
    ),
    (
        {"project_id": 2, "project_basis": "limited", "cost_center": "c"},
        {"project_id": 1, "project_basis": "import", "cost_center": "b"},
        {"project_id": 2, "project_basis": "limited", "cost_center": "c"},
    ),
    ({"time_quality": "date"}, {"time_quality": "assumed"}, {"time_quality": "date"}),
    ({"time_quality": "date"}, {"time_quality": "second"}, {"time_quality": "second"}),
    ({"time_quality": "second"}, {"time_quality": "exact"}, {"time_quality": "exact"}),
    (
        {"import_id": 1, "path": "z", "line": 9, "byte_offset": 9},
        {"import_id": 2, "path": "a", "line": 1, "byte_offset": 1},
        {"import_id": 1, "path": "z", "line": 9, "byte_offset": 9},
    ),
    (
        {"path": "a", "line": 9, "byte_offset": 9},
        {"path": "b", "line": 1},
        {"path": "a", "line": 9, "byte_offset": 9},
    ),
    ({"line": 1, "byte_offset": 9}, {"line": 2}, {"line": 1, "byte_offset": 9}),
    ({"byte_offset": None}, {"byte_offset": 0}, {"byte_offset": None}),
    ({"byte_offset": 2}, {"byte_offset": 1}, {"byte_offset": 1}),
]


@pytest.mark.parametrize(("one", "two", "both"), JOINED)
def test_of_one_moment_what_either_knows_is_kept(one, two, both):
    first, second, expected = (
        Place(**{"started_at": NOON, "project_id": 1, **told}) for told in (one, two, both)
    )
    for joined in (merge_places(first, second), merge_places(second, first)):
        assert asdict(joined) == asdict(expected)


@given(tellings, st.sampled_from(["r1", "r2", ""]))
def test_every_id_that_a_telling_knows_is_kept(one, response_id):
    other = replace(
        one,
        identity=Identity(
            response_id=response_id,
            trace_id="t",
            span_id="s",
            gateway_request_id="g",
            fingerprint=b"f",
            part=1,
        ),
    )
    for merged in (merge(one, other), merge(other, one)):
        assert merged.identity == Identity(
            response_id=max("r1", response_id),
            trace_id="t",
            span_id="s",
            gateway_request_id="g",
            fingerprint=b"f",
            part=1,
        )


def test_of_two_different_ids_the_greater_is_kept():
    names = ("response_id", "trace_id", "span_id", "gateway_request_id", "fingerprint", "part")
    one = Identity(**dict(zip(names, ("ab", "ac", "ab", "ac", b"ab", 2), strict=True)))
    two = Identity(**dict(zip(names, ("ac", "ab", "ac", "ab", b"ac", 1), strict=True)))
    greater = Identity(**dict(zip(names, ("ac", "ac", "ac", "ac", b"ac", 2), strict=True)))
    assert merge_identities(one, two) == merge_identities(two, one) == greater
    assert merge_identities(greater, two) == merge_identities(one, greater) == greater
    assert merge(usage_record("ab"), usage_record("ac")).identity.response_id == "ac"


@pytest.mark.parametrize(
    ("one", "two", "both"), [(True, False, True), (False, True, True), (False, False, False)]
)
def test_a_request_that_may_be_stamped_again_may_so_after_a_merge(one, two, both):
    assert merge(usage_record(restamps=one), usage_record(restamps=two)).restamps is both


@pytest.mark.parametrize(
    ("part", "status", "counts"),
    [
        (0, "ok", True),
        (0, "cancelled", True),
        (0, "error", False),
        (0, "pending", False),
        (1, "ok", False),
    ],
)
def test_one_part_of_a_request_that_did_not_fail_is_a_request(part, status, counts):
    assert usage_record(part=part, status=status).is_request is counts


DIGESTED = [
    {},
    {"output_tokens": 5},
    {"output_tokens": 6},
    {"input_tokens": 5},
    {"response_model": "flint"},
    {"source_updated_at": NOON},
    {"source_updated_at": NOON + timedelta(microseconds=1)},
    {"reported_cost": Decimal("0.1")},
    {"reported_cost": Decimal("0.2")},
    {"error_type": "jade"},
    {"finish_reason": "jade"},
    {"billable": False},
]


def test_digests_tell_every_content_apart():
    digests = {content_digest(usage_record(**told).use) for told in DIGESTED}
    assert (len(digests), {len(one) for one in digests}) == (len(DIGESTED), {16})


def test_a_digest_does_not_change_unnoticed():
    # Of two tellings that contradict each other it decides: with another recipe another may win.
    told = usage_record(input_tokens=7, output_tokens=5, reported_cost=Decimal("0.5")).use
    assert content_digest(told).hex() == "8d5d77129df50c67f7bd3c02638d87a4"
    assert (
        content_digest(usage_record(output_tokens=5).use).hex()
        == "3339d6a6679df8dc6a35e682bc26713c"
    )


def test_digests_are_of_what_the_ledger_keeps():
    one, two = (
        usage_record(reported_cost=Decimal(cost)).use for cost in ("0.10", "0.1000000000000001")
    )
    assert content_digest(one) == content_digest(two)


def test_a_digest_takes_any_text_a_log_may_hold():
    broken, whole = (usage_record(error_type=text).use for text in ("\ud800", "?"))
    assert content_digest(broken) != content_digest(whole)


def test_a_request_that_has_ended_is_never_running_again():
    running, failed = (
        usage_record(status=status, usage_state="missing") for status in ("pending", "error")
    )

    assert merge(running, failed).use.status == "error"
