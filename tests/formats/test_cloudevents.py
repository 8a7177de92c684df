"""CloudEvents: the data of each event is read as what it is."""

import json

import pytest

from ingest.formats.base import Counted
from tests.formats.reading import Books, read_sample, refused, skipped, told, totals

SAMPLE = "cloudevents/events.jsonl"


def event(**more):
    return {"specversion": "1.0", "id": "e-1", "source": "/shop", "type": "llm.call", **more}


def use(**more):
    return {"started_at": "2026-04-07T08:00:00Z", "model": "m", "input_tokens": 5, **more}


def read(*events):
    return told("cloudevents", b"".join(json.dumps(each).encode() + b"\n" for each in events))


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    books = Books.of(outcomes)
    assert totals(books)[:2] == (6, 1000 + 10 + 20 + 2 + litellm().input_tokens)
    assert (skipped(outcomes), refused(outcomes)) == ([7], [(8, "unknown_body")])


def litellm():
    (first, *_) = read_sample("litellm_payload/calls.jsonl")
    return first.records[0].use.counts


def test_data_with_an_id_of_its_own_keeps_it():
    with_id = read(event(data=use(id="r-1")), event(id="e-2", data=use(id="r-1")))
    assert Books.of(with_id).requests == 1
    directly = told("native", json.dumps(use(id="r-1")).encode())
    assert Books.of([*with_id, *directly]).requests == 1


def test_data_without_an_id_is_known_by_source_and_id():
    again = [event(data=use()), event(data=use())]
    others = [event(id="e-2", data=use()), event(source="/other", data=use())]
    assert Books.of(read(*again)).requests == 1
    assert Books.of(read(*again, *others)).requests == 3


def test_the_time_of_the_event_stands_in_for_a_missing_one():
    own = {"model": "m", "input_tokens": 5, "output_tokens": 1}
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [],
        "usage": {"input_tokens": 5, "output_tokens": 1},
    }
    for data in (own, body):
        (found,) = read(event(time="2026-04-08T09:00:00+02:00", data=data))
        place = found.records[0].place
        assert place.started_at.isoformat() == "2026-04-08T07:00:00+00:00"
        assert place.time_quality == "exact"
    (timed,) = read(event(time="yesterday", data=use()))
    assert timed.records[0].place.started_at.isoformat() == "2026-04-07T08:00:00+00:00"


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ({"id": "e-9", "data": use()}, "missing_field"),
        (event(id=7, data=use()), "bad_type"),
        (event(data="text"), "not_an_object"),
        (event(data=7), "not_an_object"),
        (event(data=[use(), 7]), "not_an_object"),
        (event(data=[[use()]]), "not_an_object"),
        (event(data=event(data=use())), "unknown_body"),
        (event(data={"a": 1}), "unknown_body"),
        (event(data=use(input_tokens=-1)), "bad_count"),
        (event(data_base64="%%%"), "not_json"),
        (event(data_base64="bm90IGpzb24="), "not_json"),
        (event(data=use(session_id="\ud800")), "invalid_unicode"),
    ],
)
def test_a_bad_event_is_rejected_and_its_neighbours_count(bad, code):
    outcomes = read(event(data=use(id="r-1")), bad, event(data=use(id="r-2")))
    assert refused(outcomes) == [(2, code)]
    good = [one for one in outcomes if isinstance(one, Counted) and one.line != 2]
    assert Books.of(good).requests == 2


def test_an_event_without_data_is_skipped():
    assert skipped(read(event(), event(data=None), event(data=[]), event(data_base64=""))) == [
        1,
        2,
        3,
        4,
    ]
