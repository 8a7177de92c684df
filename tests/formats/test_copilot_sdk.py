"""Copilot's SDK events."""

from tests.formats.folders import read_folder
from tests.formats.reading import Books, skipped, totals


def test_totals_are_right():
    assert totals(Books.of(read_folder("copilot_sdk"))) == (2, 8900, 7000, 0, 290, 90)


def test_a_shutdown_sums_up_what_was_counted():
    assert skipped(read_folder("copilot_sdk")) == [1, 4]


def test_an_event_tells_how_long_it_took_and_no_money():
    record = Books.of(read_folder("copilot_sdk")).one("chatcmpl-sdk1")
    use = record.use
    assert (use.duration_ms, use.ttft_ms, use.tpot_ms) == (2900.0, 510.0, 9.5)
    assert use.reported_cost is None  # cost multiplies premium requests
    assert (record.place.session_id, record.place.working_folder) == ("sess-7", "/srv/shop")


def test_a_sub_agent_is_a_side_chain():
    place = list(read_folder("copilot_sdk"))[2].records[0].place
    assert (place.is_sidechain, place.agent) == (True, "sub-agent")
