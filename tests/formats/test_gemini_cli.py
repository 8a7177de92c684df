"""Gemini CLI's chats: documents, rewritten lines and checkpoints."""

from ingest.formats.base import Counted
from tests.formats.folders import read_folder, read_path
from tests.formats.reading import SAMPLES, Books, refused, totals

CHATS = SAMPLES / "gemini_cli/tmp/9f3c/chats"
DOCUMENT = CHATS / "session-2026-04-07T08-00-chat-one.json"
LINES = CHATS / "session-2026-04-07T09-00-chat-two.jsonl"


def test_totals_are_right():
    books = Books.of(read_folder("gemini_cli"))
    assert totals(books) == (7, 28835, 15800, 0, 1135, 665)
    assert books.total("tool_use_input_tokens") == 35


def test_each_message_of_a_document_has_its_own_outcome():
    outcomes = list(read_path(DOCUMENT))
    assert len(outcomes) == 7
    assert refused(outcomes) == [(6, "bad_count")]
    assert outcomes[6].warnings == ("inconsistent_total",)


def test_tools_are_input_and_thoughts_are_output():
    first, second = (o.records[0].use.counts for o in list(read_path(DOCUMENT))[1:3])
    assert (first.output_tokens, first.reasoning_output_tokens) == (350, 250)
    assert (second.input_tokens, second.cache_read_input_tokens) == (4535, 3800)


def test_a_rewritten_message_counts_once_and_a_rewound_one_still():
    outcomes = list(read_path(LINES))
    assert [o.line for o in outcomes if isinstance(o, Counted)] == [4, 6, 7, 9, 10, 11]
    books = Books.of(outcomes)
    assert books.requests == 3
    assert {r.use.model for r in books.events.values()} == {"gemini-2.5-pro", "gemini-2.5-flash"}


def test_a_response_without_tokens_is_no_usage():
    assert list(read_path(LINES))[2].code == "no_usage"


def test_equal_message_ids_of_two_sessions_are_two_requests():
    books = Books.of(read_folder("gemini_cli"))
    sessions = sorted(r.place.session_id for r in books.events.values())
    assert sessions == ["chat-one"] * 3 + ["chat-two"] * 3 + ["helper"]
    (helper,) = (r for r in books.events.values() if r.place.session_id == "helper")
    assert helper.place.is_sidechain
    assert helper.place.tags == (("project_hash", "9f3c"),)


def test_the_size_of_cuts_changes_nothing():
    assert Books.of(read_folder("gemini_cli", size=200)) == Books.of(read_folder("gemini_cli"))
