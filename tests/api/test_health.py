"""For load balancers."""

import json

import pytest
from django.db import DatabaseError, connection
from django.test import RequestFactory

from accounting.api.health import alive, ready


def test_a_process_that_answers_is_alive():
    answer = alive(RequestFactory().get("/healthz"))
    assert (answer.status_code, json.loads(answer.content)) == (200, {"status": "ok"})
    assert alive.login_required is False


@pytest.mark.django_db
def test_ready_means_that_the_database_answers():
    assert ready(RequestFactory().get("/readyz")).status_code == 200
    assert ready.login_required is False


@pytest.mark.django_db
def test_without_the_database_it_is_not_ready():
    def refuse(*_args):
        raise DatabaseError("gone")

    with connection.execute_wrapper(refuse):
        answer = ready(RequestFactory().get("/readyz"))
    assert answer.status_code == 503


@pytest.mark.parametrize("view", [alive, ready])
def test_only_reading_is_answered(view):
    assert view(RequestFactory().post("/healthz")).status_code == 405
