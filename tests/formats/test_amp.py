"""Amp's threads: a message and its charge are one request."""

from tests.formats.folders import read_folder
from tests.formats.reading import Books, totals


def records():
    return [o.records[0] for o in read_folder("amp") if hasattr(o, "records")]


def test_totals_are_right():
    assert totals(Books.of(read_folder("amp"))) == (4, 11430, 10208, 880, 453, None)


def test_a_message_takes_the_time_of_its_own_charge():
    record = records()[0]
    assert record.place.started_at.isoformat() == "2026-04-07T08:00:06.500000+00:00"
    assert (record.use.counts.input_tokens, record.place.session_id) == (10000, "T-5c1e")
    assert record.use.provider == "anthropic"
    assert record.use.reported_cost is None  # credits are no money


def test_a_charge_of_another_model_is_a_request_of_its_own():
    title = records()[-1]
    assert (title.use.model, title.use.counts.input_tokens) == ("claude-haiku-4-5", 300)
    assert title.use.usage_state == "partial"


def test_a_charge_tells_a_message_without_usage():
    told = records()[2]
    assert (told.use.counts.input_tokens, told.use.usage_state) == (620, "reported")


def test_a_total_that_does_not_add_up_is_pointed_out():
    doubts = {o.line: o.warnings for o in read_folder("amp") if getattr(o, "warnings", ())}
    assert doubts == {3: ("inconsistent_total",)}
