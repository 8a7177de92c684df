"""Pushes that are kept, read and counted, with the bad lines among them named."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import BytesIO
from unittest.mock import patch

import pytest
from django.db import IntegrityError, OperationalError, connection
from django.test import Client
from django.utils import timezone

from accounting.models import ApiKey, Import, Project, UsageEvent
from ingest.models import InboxChunk
from ingest.services.looking import AnyFormat
from ingest.services.receive import Sender, receive_push
from tests.ingest.conftest import (
    EVENTS,
    Torn,
    counted,
    event,
    is_conserved,
    ndjson,
    only_import,
    read_all,
    zipped,
)

TWO = ndjson(event(1), event(2))


def test_a_push_is_kept_and_then_read(push):
    answer = push(TWO)
    source = only_import()
    assert answer.status_code == 202
    assert answer.json() == {
        "import_id": source.pk,
        "state": "ready",
        "href": f"/api/v1/imports/{source.pk}",
    }
    assert not UsageEvent.objects.exists()
    read_all()
    source.refresh_from_db()
    assert (source.state, source.lines, source.recorded) == ("done", 2, 2)
    assert counted() == (2, 200)


def test_no_log_says_what_only_the_books_may_say(push):
    push(ndjson(event(1, operation="correction"), event(2)))
    read_all()
    source = only_import()
    assert (source.recorded, source.rejected) == (1, 1)
    rejection = source.rejections.get()
    assert (rejection.line, rejection.code, rejection.field) == (1, "unknown_value", "operation")


def test_nothing_of_the_body_is_left_when_it_was_read(push):
    push(TWO)
    read_all()
    chunk = InboxChunk.objects.get()
    assert (chunk.state, bytes(chunk.body)) == ("done", b"")


@pytest.mark.parametrize(
    "body",
    [
        TWO,
        b"[" + ndjson(event(1)).strip() + b"," + ndjson(event(2)).strip() + b"]",
        TWO.replace(b"\n", b"\r\n\r\n"),
        b"\xef\xbb\xbf" + TWO.rstrip(),
    ],
)
def test_every_shape_of_body_counts_the_same(push, body):
    push(body, content_type="application/json")
    read_all()
    assert counted() == (2, 200)


def test_a_single_object_and_gzip_are_read(push):
    push(ndjson(event(1)).strip(), content_type="application/json")
    push(zipped(ndjson(event(2))), Content_Encoding="gzip")
    read_all()
    assert counted() == (2, 200)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("not json", "not_json"),
        ('{"started_at": "2026-03-02T10:00:00Z", "id": "x"', "not_json"),
        (event(9, input_tokens=-5), "bad_count"),
        (event(9, input_tokens=10**12), "number_out_of_range"),
        (event(9, input_tokens=True), "bad_count"),
        (
            '{"id":"9","started_at":"2026-03-02T10:00:00Z","model":"m","input_tokens":NaN}',
            "not_a_number",
        ),
        (event(9, cache_read_input_tokens=500), "bad_count"),
        (event(9, started_at="2019-12-31T23:59:59Z"), "bad_time"),
        (event(9, started_at="2026-03-02T10:00:00"), "bad_time"),
        (event(9, model="m" * 201), "text_too_long"),
        (event(9, model="a\0b"), "nul_character"),
        (event(9, reported_cost="1E+999999"), "bad_amount"),
        (
            '{"id":"9","started_at":"2026-03-02T10:00:00Z","reported_cost":1E+999999}',
            "bad_amount",
        ),
        (event(9, session_id="\ud800"), "invalid_unicode"),
        ("x" * 2_000_000, "line_too_long"),
    ],
)
def test_a_bad_line_is_named_and_its_neighbours_count(push, line, code):
    answer = push(ndjson(event(1), line, event(2)), "?wait=true")
    assert answer.status_code == 200
    told = answer.json()
    assert (told["lines"], told["recorded"], told["rejected"]) == (3, 2, 1)
    [rejection] = told["rejections"]
    assert (rejection["line"], rejection["code"]) == (2, code)
    assert counted() == (2, 200)
    assert is_conserved(only_import())


def test_a_barer_telling_of_a_request_takes_nothing_away(push):
    known = event(1, user_id="ada", session_id="s-1", tags={"team": "red"})
    outcomes = [
        push(ndjson(told), "?wait=true").json() for told in (event(1), known, event(1), known)
    ]
    assert [told["recorded"] for told in outcomes] == [1, 0, 0, 0]
    assert [told["updated"] for told in outcomes] == [0, 1, 0, 0]
    assert [told["duplicates"] for told in outcomes] == [0, 0, 1, 1]
    found = UsageEvent.objects.get()
    assert (found.user_id, found.session_id, found.tags) == ("ada", "s-1", {"team": "red"})


def test_events_that_all_forgot_their_time_are_told_so_by_line(push):
    line = '{"id":"9","model":"m","input_tokens":5}'
    told = push(ndjson(line, line), "?wait=true").json()
    assert (told["format"], told["recorded"], told["rejected"]) == ("native", 0, 2)
    assert [(each["line"], each["code"]) for each in told["rejections"]] == [
        (1, "missing_field"),
        (2, "missing_field"),
    ]
    assert all("started_at" in each["reason"] for each in told["rejections"])


def test_an_amount_no_book_can_hold_costs_only_its_own_line(push):
    huge = event(9, reported_cost="99999999999999", reported_currency="USD")
    told = push(ndjson(event(1), huge, event(2)), "?wait=true").json()
    assert (told["recorded"], told["rejected"]) == (2, 1)
    assert told["rejections"][0]["code"] == "amount_out_of_range"


def test_a_missing_model_is_answered_clearly(push):
    told = push(ndjson(event(1), event(2, model=None)), "?wait=true").json()
    assert told["recorded"] + told["rejected"] == 2
    assert told["rejected"] == len(told["rejections"])


def test_waiting_brings_the_counts_of_the_command(push):
    told = push(TWO, "?wait=true").json()
    source = only_import()
    assert told["href"] == f"/api/v1/imports/{source.pk}"
    assert (told["state"], told["format"], told["requests"]) == ("done", "native", 2)
    assert (told["input_tokens"], told["output_tokens"]) == (200, 20)
    assert told["cache_read_input_tokens"] is None
    again = push(TWO, "?wait=true").json()
    assert (again["state"], again["duplicates"], again["input_tokens"]) == ("unchanged", 2, 0)


def test_the_same_idempotency_key_keeps_one_import(push):
    first = push(TWO, Idempotency_Key="batch-7")
    second = push(TWO, Idempotency_Key="batch-7")
    zipped_too = push(zipped(TWO), Idempotency_Key="batch-7", Content_Encoding="gzip")
    assert first.json() == second.json() == zipped_too.json()
    assert second.status_code == 202
    assert Import.objects.count() == 1


def test_an_idempotency_key_with_another_body_is_a_conflict(push):
    push(TWO, Idempotency_Key="batch-7")
    answer = push(ndjson(event(3)), Idempotency_Key="batch-7")
    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_key_reused")
    assert Import.objects.count() == 1


def test_a_refused_body_leaves_its_idempotency_key_free(push):
    push(b"not json\n", Idempotency_Key="batch-7")
    assert push(TWO, Idempotency_Key="batch-7").status_code == 202


@pytest.mark.django_db(transaction=True)
def test_the_same_push_ten_times_at_once_is_one_import(key):
    def send(_):
        headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "at-once"}
        try:
            return Client().post(EVENTS, TWO, content_type="application/json", headers=headers)
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(send, range(10)))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["import_id"] for answer in answers}) == 1
    read_all()
    assert counted() == (2, 200)


@pytest.mark.django_db(transaction=True)
def test_another_broken_constraint_is_not_taken_for_a_reused_key(books):
    sender = Sender(organization_id=books.pk, project_id=999_999)
    with pytest.raises(IntegrityError, match="project_id"):
        receive_push(
            sender=sender,
            look=AnyFormat(sender),
            stream=BytesIO(TWO),
            encoding="",
            limit=10**6,
            idempotency_key="batch-8",
        )


def test_usage_of_the_future_is_rejected(push):
    soon = timezone.now() + timedelta(minutes=9)
    late = timezone.now() + timedelta(minutes=11)
    lines = ndjson(event(1, started_at=soon.isoformat()), event(2, started_at=late.isoformat()))
    told = push(lines, "?wait=true").json()
    assert told["recorded"] == 1
    assert [(one["line"], one["code"]) for one in told["rejections"]] == [(2, "in_future")]


def test_usage_belongs_to_the_project_that_is_named_first(push, books):
    alpha = Project.objects.create(organization=books, slug="alpha", name="Alpha")
    beta = Project.objects.create(organization=books, slug="beta", name="Beta")
    body = ndjson(event(1, project="alpha"), event(2), event(3, project="nowhere"))
    push(body, "?wait=true")
    default = Project.objects.get(slug="default")
    found = UsageEvent.objects.order_by("response_id").values_list("project_id", flat=True)
    assert list(found) == [alpha.pk, default.pk, default.pk]
    push(ndjson(event(4, project="alpha")), "?wait=true&project=beta")
    assert UsageEvent.objects.get(response_id="r-4").project_id == beta.pk


def test_an_event_knows_its_key_import_and_line(push):
    push(ndjson(event(1), event(2)), "?wait=true")
    found = UsageEvent.objects.get(response_id="r-2")
    assert (found.api_key_id, found.import_id, found.line) == (
        ApiKey.objects.get().pk,
        only_import().pk,
        2,
    )


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (None, "body_incomplete"),
        (ConnectionError("reset by peer"), "body_incomplete"),
        (TimeoutError("nothing came"), "body_late"),
    ],
)
def test_a_push_that_does_not_come_whole_leaves_nothing(books, error, code):
    # Django's test client sends no torn bodies.
    sender = Sender(organization_id=books.pk)
    receipt = receive_push(
        sender=sender,
        look=AnyFormat(sender),
        stream=Torn(TWO, error),
        encoding="",
        limit=10**6,
        expected=len(TWO) + 10,
        idempotency_key="batch-9",
    )
    assert (receipt.state, receipt.code, receipt.import_id) == ("refused", code, None)
    assert not Import.objects.exists()


def test_a_deep_record_is_rejected_and_its_neighbours_count(push):
    deep = (
        '{"id":"2","started_at":"2026-03-02T10:00:00Z","tags":' + "[" * 20_000 + "]" * 20_000 + "}"
    )
    told = push(ndjson(event(1), deep, event(3)), "?wait=true").json()

    assert (told["lines"], told["recorded"], told["rejected"]) == (3, 2, 1)
    assert told["rejections"][0]["code"] == "too_deep"


def test_a_database_that_goes_away_while_a_push_waits_does_not_take_the_promise_back(push):
    with patch("ingest.api.push.read_import", side_effect=OperationalError("gone")):
        answer = push(TWO, "?wait=true")
    assert answer.status_code == 202
    assert answer.json()["import_id"] == only_import().pk
    read_all()
    assert counted() == (2, 200)
