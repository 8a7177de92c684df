"""Questions made from the OpenAPI schema: no 5xx, and no answer that the schema does not know."""

import os

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import override_settings
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi import checks as of_openapi

from accounting.config.wsgi import application
from tests.factories import ImportFactory, api_key
from tests.queries.posted import posted, priced_organization

pytestmark = pytest.mark.slow
#: For each address and each kind of question; by hand SCHEMA_EXAMPLES=500.
EXAMPLES = int(os.environ.get("SCHEMA_EXAMPLES", "8"))
CHECKS = [
    schemathesis.checks.not_a_server_error,
    of_openapi.status_code_conformance,
    of_openapi.content_type_conformance,
    of_openapi.response_schema_conformance,
    of_openapi.response_headers_conformance,
]
#: The same questions every time, so that CI fails for what was changed alone.
SETTINGS = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def open_connection():
    """The test's transaction stays open from request to request, as Django's own client sees to."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture
def key(db, open_connection, monkeypatch):
    """A key that may ask and push, of books that hold something."""
    monkeypatch.setattr("ingest.api.push.ring", lambda: None)
    organization = priced_organization(time_zone="Asia/Kolkata")
    ImportFactory(organization=organization)
    posted(organization, {"session_id": "s"}, {"response_model": "ruby"})
    with override_settings(QUESTIONS_PER_MINUTE=0):
        yield api_key(organization, scopes=["read", "ingest"])


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_whatever_is_asked_is_answered_as_the_schema_says(key, mode):
    schema = schemathesis.openapi.from_wsgi("/api/schema/", application)
    failures, asked = {}, 0
    for found in schema.get_all_operations():
        operation = found.ok()

        @SETTINGS
        @given(case=operation.as_strategy(generation_mode=mode))
        def answers(case):
            nonlocal asked
            asked += 1
            case.call_and_validate(headers={"X-Api-Key": key}, checks=CHECKS)

        try:
            answers()
        except BaseExceptionGroup as error:
            failures[operation.label] = f"{operation.label}: {error}"
    assert not failures, "\n".join(failures.values())
    assert asked > 20 * EXAMPLES / 2
