"""What was taken in is counted, whatever ends in the middle: nothing is buffered, sums are derived."""

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError
from psycopg.errors import OutOfMemory

from accounting.models import Import, UsageEvent, UsageHour
from accounting.queries.filters import usage_filter
from accounting.queries.session_turns import session_turns
from accounting.queries.spend import usage_table
from ingest.models import InboxChunk
from ingest.services import chunks, inbox, points, quarantine, reading, together
from ingest.services.points import POINTS
from ingest.tasks import lookout
from ingest.tasks.bell import READ_INBOX, app
from tests.failures.logs import message, read, totals, transcript
from tests.ingest.conftest import counted, event, ndjson, read_all
from tests.ingest.test_processes import QUIET, WORKER, done_chunks, program, wait_until

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 5, 1, tzinfo=UTC)
READING = [name for name in POINTS if name.startswith("read.")]


def hundred_pushes(push):
    for number in range(100):
        push(ndjson(event(number)))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_b105_a_worker_that_is_asked_to_end_at_once_loses_none_of_100(push):
    """Acknowledged after the commit only: what it had not read is still in the inbox."""
    hundred_pushes(push)
    with program(*WORKER, *QUIET) as worker:
        app.send_task(READ_INBOX)
        wait_until(lambda: InboxChunk.objects.filter(attempts=1).exists())
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(60) == 0
    left = InboxChunk.objects.exclude(state="done").count()
    assert UsageEvent.objects.count() == 100 - left
    read_all()
    assert counted() == (100, 10_000)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_b106_a_worker_that_is_recycled_after_5_tasks_counts_50_of_50(push):
    with program(*WORKER, *QUIET, "--max-tasks-per-child", "5"):
        for number in range(50):
            push(ndjson(event(number)))
            app.send_task(READ_INBOX)
            time.sleep(0.02)
        wait_until(lambda: done_chunks() == 50)
    assert counted() == (50, 5_000)


def test_b108_a_broker_that_is_none_ends_the_start_with_one_sentence():
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**os.environ, "CELERY_BROKER_URL": "redis"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("tallybook: CELERY_BROKER_URL=")
    assert done.stderr.count("\n") == 1


def test_b108_a_broker_that_is_missing_leaves_no_table_empty(push):
    """It carries bells alone: without any, the look-out reads what waits."""
    push(ndjson(event(1)))
    InboxChunk.objects.update(created_at=NOW)
    assert lookout.look()
    assert counted() == (1, 100)


@pytest.mark.parametrize("point", READING)
def test_b110_a_flush_that_is_cancelled_moves_no_counter_back(push, monkeypatch, point):
    push(ndjson(event(1), event(2)), "?wait=true")
    push(ndjson(event(2, output_tokens=30), event(3)))

    def cancel(passed):
        if passed == point:
            raise SoftTimeLimitExceeded

    seen = []
    monkeypatch.setattr(points, "watcher", cancel)
    try:
        reading.read_waiting(seconds=60)
    except SoftTimeLimitExceeded:
        seen.append("raised")
    seen.append(figures())
    assert seen[-1] in {(2, 200, 20), (3, 300, 50)}
    monkeypatch.undo()
    push(ndjson(event(4)), "?wait=true")
    seen.append(figures())
    read_all()
    assert figures() == (4, 400, 60)
    numbers = [one for one in seen if one != "raised"]
    assert numbers == sorted(numbers)
    assert counted() == (4, 400)


def figures():
    hour = UsageHour.objects.get()
    return hour.requests, hour.input_tokens, hour.output_tokens


def agent_log(calls, tokens, *, name, tool=""):
    """Calls of an agent, or of a tool's own agent inside its session."""
    lines = []
    for number in range(calls):
        told = message(id=f"msg_{name}_{number}", fresh=tokens - 100, output=100)
        line = transcript(told, uuid=f"{name}-{number}", at=f"2026-04-07T08:{number:02}:00Z")
        lines.append({**line, "isSidechain": bool(tool), **({"agentId": tool} if tool else {})})
    return lines


def test_b111_the_calls_of_an_agent_s_tools_count_with_its_own():
    own = agent_log(5, 7_000, name="a")
    tools = agent_log(3, 3_000, name="t", tool="tool-1")
    requests, fresh, _, _, output = totals(read("claude_code", own + tools))
    assert (requests, fresh + output) == (8, 44_000)
    assert fresh + output - 9_000 == 35_000


def test_b113_what_has_no_memory_is_read_in_smaller_batches(push, monkeypatch):
    def no_memory(**_):
        raise OperationalError("out of memory") from OutOfMemory()

    monkeypatch.setattr(together, "book_together", no_memory)
    for number in range(6):
        push(ndjson(event(number)))
    read_all()
    assert counted() == (6, 600)


def test_b113_what_never_has_memory_is_set_aside_and_read_later(push, monkeypatch):
    plain = chunks.book

    def book(**how):
        if len(how["outcomes"].tellings) > 1:
            raise OperationalError("out of memory") from OutOfMemory()
        return plain(**how)

    monkeypatch.setattr(chunks, "book", book)
    monkeypatch.setattr(reading, "turns", lambda waiting: ([one.chunk_id] for one in waiting))
    push(ndjson(event(1), event(2)))
    push(ndjson(event(3)))
    for _ in range(quarantine.ATTEMPTS):
        reading.read_waiting(seconds=60)
    assert counted() == (1, 100)
    [aside] = inbox.set_aside_chunks()
    assert "OperationalError" in aside.reason
    monkeypatch.setattr(chunks, "book", plain)
    inbox.retry(organization_id=None, chunk_ids=None)
    read_all()
    assert counted() == (3, 300)
    assert set(Import.objects.values_list("state", flat=True)) == {"done"}


def test_b115_a_session_holds_what_its_child_sessions_used_and_tells_its_own(books, ingest, log):
    parent = ndjson(*agent_log(5, 17_000, name="own"))  # 85,000
    child = ndjson(*agent_log(10, 340_000, name="child", tool="agent-1"))  # 3,400,000
    folder = log("projects/shop/s-1.jsonl", parent).parent
    log("projects/shop/s-1/subagents/agent-1.jsonl", child)
    (told, _), _ = ingest(folder)
    assert told["requests"] == 15

    session = session_turns(books.pk, "s-1")
    whole = session.totals.input_tokens + session.totals.output_tokens
    own = [turn for turn in session.turns if not turn.is_sidechain]
    assert whole == 3_485_000
    assert sum(turn.input_tokens + turn.output_tokens for turn in own) == 85_000

    params = {"from": ["2026-04-01"], "to": ["2026-05-01"], "group": ["agent"]}
    rows = usage_table(usage_filter(params, books, NOW)).rows
    by_agent = {row.group.label: row.totals.input_tokens + row.totals.output_tokens for row in rows}
    assert by_agent == {"none": 85_000, "agent-1": 3_400_000}
