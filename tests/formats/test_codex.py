"""Codex rollouts: totals become requests, and a family of forks counts each of them once."""

import json
from itertools import permutations

import msgspec
import pytest

from ingest.formats.base import Counted
from ingest.formats.codex_threads import Thread
from tests.formats.folders import read_folder, read_path
from tests.formats.reading import SAMPLES, Books, told, totals

FOLDER = SAMPLES / "codex"
DAY = FOLDER / "sessions/2026/04/07"
PARENT, FORK, GRANDCHILD, NEWER = sorted(DAY.iterdir())


def of(*paths):
    return Books.of(outcome for path in paths for outcome in read_path(path))


def session(books, session_id):
    """Input tokens of each request that stands in a session, in order."""
    found = [r for r in books.events.values() if r.place.session_id == session_id]
    return [r.use.counts.input_tokens for r in sorted(found, key=lambda r: r.place.started_at)]


def row(total, last, at="2026-04-07T08:00:00Z"):
    names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
    info = {"total_token_usage": dict(zip(names, total, strict=True))}
    if last:
        info["last_token_usage"] = dict(zip(names, last, strict=True))
    return {"timestamp": at, "type": "event_msg", "payload": {"type": "token_count", "info": info}}


def meta(thread_id, **more):
    return {"type": "session_meta", "payload": {"id": thread_id, **more}}


def read_lines(*lines, **how):
    return told("codex", "".join(json.dumps(line) + "\n" for line in lines).encode(), **how)


def test_a_family_counts_each_request_once():
    assert totals(Books.of(read_folder("codex"))) == (10, 38500, 17400, 700, 1030, 330)


@pytest.mark.parametrize("order", list(permutations([PARENT, FORK, GRANDCHILD])))
def test_separate_uploads_in_any_order_give_the_same_books(order):
    books = of(*order)
    assert totals(books) == (7, 30000, 16500, 0, 840, 320)
    assert session(books, "thread-a") == [8000, 9000, 4000, 1000, 2000]
    assert session(books, "thread-b") == [5000]
    assert session(books, "thread-c") == [1000]


def test_a_fork_alone_keeps_what_its_parent_used():
    assert totals(of(FORK)) == (4, 26000, 14000, 0, 700, 300)


def test_the_parents_own_telling_names_the_model():
    for order in ([PARENT, FORK], [FORK, PARENT]):
        models = [r.use.model for r in of(*order).events.values()]
        assert sorted(models) == ["gpt-5.2-codex"] * 5 + ["gpt-5.4-mini"]


def test_an_archived_copy_adds_nothing():
    archived = next((FOLDER / "archived_sessions").iterdir())
    assert of(PARENT, archived) == of(PARENT)


def test_repeats_and_compaction_markers_are_no_usage():
    outcomes = list(read_path(PARENT))
    assert [o.line for o in outcomes if isinstance(o, Counted)] == [4, 6, 8, 10, 11]
    assert outcomes[4].code == outcomes[6].code == "repeated_total"


def test_a_large_last_without_a_moved_total_is_a_repeat():
    assert list(read_path(FORK))[-1].code == "repeated_total"


def test_a_total_that_fell_began_anew():
    assert list(read_path(PARENT))[-1].records[0].use.counts.input_tokens == 2000


def test_more_cached_than_input_is_cut_down_and_pointed_out():
    doubtful = list(read_path(PARENT))[9]
    counts = doubtful.records[0].use.counts
    assert (counts.input_tokens, counts.cache_read_input_tokens) == (1000, 1000)
    assert doubtful.warnings == ("more_cached_than_input",)


def test_a_response_told_by_id_and_by_total_counts_once_in_either_order():
    books = of(NEWER)
    assert totals(books) == (3, 8500, 900, 700, 190, 10)
    assert books.one("resp_one").use.counts.cache_write_input_tokens == 300
    assert books.one("resp_compact").use.counts.input_tokens == 6000
    codes = [getattr(o, "code", "counted") for o in read_path(NEWER)]
    assert codes[3] == "counted_by_its_record"
    assert codes[7] == "counted_by_its_total"


def test_cache_writes_are_unknown_unless_openai_serves():
    rows = row((10, 0, 1, 0), (10, 0, 1, 0))
    told_by = {
        provider: read_lines(meta("t", model_provider=provider), rows)[1].records[0].use.counts
        for provider in ("openai", "local")
    }
    assert told_by["openai"].cache_write_input_tokens == 0
    assert told_by["local"].cache_write_input_tokens is None


def test_a_fork_without_its_parents_rows_counts_its_last():
    fork = read_lines(meta("b", forked_from_id="a"), row((900, 0, 90, 0), (100, 0, 10, 0)))
    assert fork[1].records[0].use.counts.input_tokens == 100


def test_rollouts_without_a_session_are_told_apart_by_their_first_row():
    first = read_lines(row((10, 0, 1, 0), None, "2026-04-07T08:00:00Z"))
    second = read_lines(row((10, 0, 1, 0), None, "2026-04-07T09:00:00Z"))
    assert Books.of(first + second).requests == 2
    assert Books.of(first + first).requests == 1


def test_a_bad_line_costs_no_tokens():
    lines = [row((10, 0, 1, 0), None), row((-1, 0, 1, 0), None), row((30, 0, 3, 0), None)]
    first, bad, third = read_lines(meta("t"), *lines)[1:]
    assert (bad.line, bad.code) == (3, "bad_count")
    assert [o.records[0].use.counts.input_tokens for o in (first, third)] == [10, 20]


def test_a_count_without_a_total_is_rejected():
    line = row((1, 0, 1, 0), (1, 0, 1, 0))
    del line["payload"]["info"]["total_token_usage"]
    assert read_lines(line)[0].code == "missing_field"


def test_a_worker_that_was_killed_goes_on_from_its_saved_state():
    body = PARENT.read_bytes()
    head, tail = body[: body.index(b"\n", 2000) + 1], body[body.index(b"\n", 2000) + 1 :]
    state = Thread()
    first = told("codex", head, state=state)
    saved = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=Thread)
    assert Books.of(first + told("codex", tail, state=saved)) == Books.of(told("codex", body))


def test_the_size_of_cuts_changes_nothing():
    cuts = Books.of(read_folder("codex", size=400))
    assert cuts == Books.of(read_folder("codex"))


def test_a_rollout_tells_where_it_was():
    first = next(o for o in read_path(PARENT) if isinstance(o, Counted)).records[0]
    assert first.place.started_at.isoformat() == "2026-04-07T08:00:06+00:00"
    assert (first.place.session_id, first.place.turn_id) == ("thread-a", "turn-1")
    assert (first.place.working_folder, first.use.provider) == ("/srv/shop", "openai")
    assert first.restamps
