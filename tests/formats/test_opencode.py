"""OpenCode's messages, the copies that forks make, and rows of its database."""

from decimal import Decimal

from tests.formats.folders import read_folder, read_path
from tests.formats.reading import SAMPLES, Books, totals

MESSAGES = SAMPLES / "opencode/storage/message"


def one(name):
    (outcome,) = read_path(MESSAGES / name)
    return outcome


def test_totals_are_right():
    books = Books.of(read_folder("opencode"))
    assert totals(books) == (3, 14215, 11000, 900, 390, 60)
    assert books.errors == 1


def test_cached_tokens_and_reasoning_stand_beside_their_totals():
    use = one("ses_a/msg_two.json").records[0].use
    assert (use.counts.input_tokens, use.counts.output_tokens) == (5800, 160)
    assert (use.duration_ms, use.finish_reason) == (2000.0, "tool-calls")


def test_a_forks_copy_and_a_row_of_the_database_are_the_same_request():
    paths = [MESSAGES / "ses_a/msg_one.json", MESSAGES / "ses_b/msg_copy.json"]
    paths.append(SAMPLES / "opencode/rows.json")
    books = Books.of(outcome for path in paths for outcome in read_path(path))
    (record,) = books.events.values()
    assert record.place.session_id == "ses_a"
    assert record.place.working_folder == "/srv/shop"
    assert record.use.reported_cost == Decimal("0.0123")


def test_a_cost_of_nothing_stays_what_was_reported():
    assert one("ses_a/msg_two.json").records[0].use.reported_cost == 0


def test_an_aborted_message_is_cancelled_and_counts():
    use = one("ses_b/msg_stop.json").records[0].use
    assert (use.status, use.counts.input_tokens) == ("cancelled", 500)


def test_a_failed_message_is_an_error_without_usage():
    use = one("ses_b/msg_fail.json").records[0].use
    assert (use.status, use.error_type, use.http_status) == ("error", "APIError", 529)
    assert (use.error_origin, use.usage_state) == ("upstream", "missing")


def test_a_question_and_an_open_answer_are_no_usage():
    assert one("ses_a/msg_ask.json").code == "no_usage"
    assert one("ses_b/msg_open.json").code == "no_usage"
