"""What no view could answer: a page in the site's look for people, a problem for programs."""

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import RequestDataTooBig
from django.db import OperationalError
from django.test import Client, RequestFactory

from accounting.config.refusals import bad_request, broken
from accounting.services.tenants import ensure_defaults
from tests.factories import UserFactory

LOOK = '<link rel="stylesheet" href="/static/css/tallybook.css">'


def is_ours(answer):
    """A whole page of the site, in its look."""
    text = answer.content.decode()
    return answer["Content-Type"].startswith("text/html") and LOOK in text and "<h1>" in text


@pytest.fixture
def person(db):
    ensure_defaults()
    return User.objects.get(username="owner")


def test_an_address_that_leads_nowhere_is_a_page_or_a_problem(client, db):
    page = client.get("/nowhere/")
    assert (page.status_code, is_ours(page)) == (404, True)
    told = client.get("/api/nowhere")
    assert (told.status_code, told["Content-Type"]) == (404, "application/problem+json")
    assert told.json()["code"] == "not_found"


def test_a_foreign_host_is_told_what_to_change(client, db):
    page = client.get("/", headers={"Host": "evil.example"})
    assert (page.status_code, is_ours(page)) == (400, True)
    assert "ALLOWED_HOSTS" in page.content.decode()
    assert "evil.example" not in page.content.decode()
    told = client.get("/api/v1/usage", headers={"Host": "evil.example"})
    assert (told.status_code, told.json()["code"]) == (400, "bad_request")


def test_a_form_without_its_token_is_told_what_to_do(person):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(person)
    page = strict.post("/theme", {"next": "/"})
    assert (page.status_code, is_ours(page)) == (403, True)
    assert "Nothing was changed" in page.content.decode()
    told = strict.post("/imports/upload", b"x", content_type="application/octet-stream")
    assert (told.status_code, told.json()["code"]) == (403, "not_allowed")
    asked = strict.post("/api/v1/estimate", "{}", content_type="application/json")
    assert (asked.status_code, asked.json()["code"]) == (403, "not_allowed")


def test_who_belongs_to_nobody_is_told_by_a_page(client, db):
    client.force_login(UserFactory())
    page = client.get("/sessions/")
    assert (page.status_code, is_ours(page)) == (403, True)
    assert "An owner can let you in" in page.content.decode()


@pytest.mark.parametrize(
    ("path", "fields", "status"), [("/theme", 3_000_000, 413), ("/api/v1/estimate", 3_000_000, 413)]
)
def test_what_is_too_long_is_refused(client, person, path, fields, status):
    client.force_login(person)
    kind = "application/json" if path.startswith("/api/") else "application/x-www-form-urlencoded"
    answer = client.post(path, "a=" + "x" * fields, content_type=kind)
    assert answer.status_code == status
    if path.startswith("/api/"):
        assert answer.json()["code"] == "too_large"
    else:
        assert is_ours(answer)


def test_too_many_fields_are_a_bad_request(client, person):
    client.force_login(person)
    form = "&".join(f"a{n}=1" for n in range(2_000))
    page = client.post("/theme", form, content_type="application/x-www-form-urlencoded")
    assert (page.status_code, is_ours(page)) == (400, True)


def test_a_body_that_is_too_long_for_a_program_is_a_problem():
    answer = bad_request(RequestFactory().get("/api/v1/usage"), RequestDataTooBig())
    assert (answer.status_code, answer["Content-Type"]) == (413, "application/problem+json")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [(RuntimeError("secret"), 500, "internal_error"), (OperationalError(), 503, "unavailable")],
)
def test_what_breaks_is_a_page_or_a_problem_and_tells_no_secret(error, status, code):
    def fail():
        raise error

    def answer(path):
        try:
            fail()
        except (RuntimeError, OperationalError):
            return broken(RequestFactory().get(path))

    page, told = answer("/"), answer("/api/v1/usage")
    assert (page.status_code, is_ours(page)) == (status, True)
    assert (told.status_code, told["Content-Type"]) == (status, "application/problem+json")
    assert f'"code": "{code}"' in told.content.decode()
    assert b"secret" not in page.content + told.content
    assert (page.get("Retry-After"), told.get("Retry-After")) == (
        ("5", "5") if status == 503 else (None, None)
    )


def test_a_view_that_breaks_is_answered_so_too(client, person, monkeypatch):
    def fail(*_):
        raise OperationalError("gone")

    client.force_login(person)
    client.raise_request_exception = False
    monkeypatch.setattr("accounting.services.tenants.membership_of", fail)
    page = client.get("/sessions/")
    assert (page.status_code, is_ours(page), page["Retry-After"]) == (503, True, "5")
