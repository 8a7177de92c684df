"""Every address × everybody who may not come in: 401, 403, 404, or the way to the sign-in page.

The table of addresses is compared with the URL configuration, so that a new address needs a row.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.test import Client
from django.urls import get_resolver

from accounting.models import ApiKey, Import
from tests.access.planted import WORD, past, planted
from tests.access.table import ROWS, Kind
from tests.factories import MembershipFactory, UserFactory, api_key
from tests.queries.posted import priced_organization

SIGN_IN = "302 /sign-in/"
REST = {Kind.LIST, Kind.ONE, Kind.OWN}
PAGES = {Kind.PAGE, Kind.PAGE_ONE, Kind.CHANGE, Kind.CHANGE_ONE}
#: Answers that give nothing away where the word is not in them: their own, empty, or wrong, books.
THEIR_OWN = ("200", "202", "302", "400", "404", "422")


@dataclass(frozen=True)
class Actor:
    """Somebody who asks. enters: makes a person, or the headers of a key. may: kind -> right answers.

    A kind without answers is nothing that is refused to them.
    """

    enters: Callable
    may: dict


def routes(patterns, prefix=""):
    """Every route below some patterns, as they are written."""
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route


def test_every_address_has_a_row_and_every_row_an_address():
    assert sorted(routes(get_resolver().url_patterns)) == sorted(ROWS)


def nobody(_books):
    return {}


def over(field):
    def enters(books):
        key = api_key(books.organization, scopes=["read", "ingest"], name="over")
        ApiKey.objects.filter(name="over").update(**{field: past()})
        return {"X-Api-Key": key}

    return enters


def with_scope(scope):
    def enters(books):
        return {"X-Api-Key": api_key(books.organization, scopes=[scope], name=scope)}

    return enters


def of_another_organization(_books):
    key = api_key(priced_organization(), scopes=["read", "ingest", "admin"])
    return {"Authorization": f"Bearer {key}"}


def of_another_project(books):
    key = api_key(
        books.organization, scopes=["read", "ingest", "admin"], name="limited", is_limited=True
    )
    return {"Authorization": f"Bearer {key}"}


def owner_elsewhere(_books):
    return MembershipFactory(organization=priced_organization(), role="owner").user


def viewer(books):
    return MembershipFactory(organization=books.organization, role="viewer").user


def stranger(_books):
    return UserFactory()


def each(kinds, *answers):
    return dict.fromkeys(kinds, answers)


#: Keys open no page; an address that only people have sends them to the sign-in page.
KEYS_ON_PAGES = each({*PAGES, Kind.OWN_SETTINGS}, SIGN_IN)
NO_KEY = (
    each({*REST, Kind.PUSH, Kind.RPC}, "401")
    | each({Kind.TOKEN}, "401", "403", "404")
    | KEYS_ON_PAGES
)
ELSEWHERE = (
    each({Kind.LIST, Kind.PUSH, Kind.RPC, Kind.PAGE, Kind.CHANGE}, *THEIR_OWN)
    | each({Kind.ONE, Kind.OWN, Kind.PAGE_ONE, Kind.CHANGE_ONE}, "404")
    | each({Kind.TOKEN}, "401", "403", "404")
)
IN_PERSON = each({Kind.PUSH, Kind.RPC}, "401")
ACTORS = {
    "anonymous": Actor(nobody, NO_KEY),
    "with an expired key": Actor(over("expires_at"), NO_KEY),
    "with a revoked key": Actor(over("revoked_at"), NO_KEY),
    "with a key that only pushes": Actor(
        with_scope("ingest"),
        {**NO_KEY, **each({*REST, Kind.RPC}, "403"), Kind.OWN: ("404",), Kind.PUSH: ()},
    ),
    "with a key that only reads": Actor(
        with_scope("read"), {**NO_KEY, **each({*REST, Kind.RPC}), Kind.PUSH: ("403",)}
    ),
    "with a key of another organization": Actor(of_another_organization, ELSEWHERE | KEYS_ON_PAGES),
    "with a key of another project": Actor(
        of_another_project, ELSEWHERE | KEYS_ON_PAGES | each({Kind.PUSH}, "403")
    ),
    "an owner elsewhere": Actor(owner_elsewhere, ELSEWHERE | IN_PERSON),
    "a viewer": Actor(
        viewer,
        each({Kind.CHANGE, Kind.CHANGE_ONE}, "403")
        | IN_PERSON
        | each({Kind.TOKEN}, "401", "403", "404"),
    ),
    "a person of no organization": Actor(
        stranger, each({*REST, *PAGES}, "403") | IN_PERSON | each({Kind.TOKEN}, "401", "403", "404")
    ),
}
#: What is no matter of rights: formats and prices for everybody, and lists that only some keys have.
EXCEPT = {
    ("with a key that only pushes", "api/v1/imports"): ("200",),
    ("with a key of another project", "otlp/v1/metrics"): ("200",),
}


@pytest.fixture
def books(db, monkeypatch):
    for module in ("push", "otlp"):
        monkeypatch.setattr(f"ingest.api.{module}.ring", lambda: None)
    return planted()


def asked(who, row, names):
    """The status of the answer to a row, and whether the word is shown. who: a person, or headers."""
    client = Client(raise_request_exception=False)
    headers = who if isinstance(who, dict) else {}
    if headers is not who:
        client.force_login(who)
    sent = {"data": row.body, "content_type": row.content_type} if row.method == "post" else {}
    answer = getattr(client, row.method)(row.path.format(**names), headers=headers, **sent)
    body = answer.getvalue() if answer.streaming else answer.content
    status = str(answer.status_code)
    if status == "302" and answer["Location"].startswith("/sign-in/"):
        status = SIGN_IN
    if status != "200":  # what they wrote themselves is no news to them
        for name, value in names.items():
            if f"{{{name}}}" in row.path:
                body = body.replace(str(value).encode(), b"")
    return status, WORD.encode() in body


@pytest.mark.parametrize("name", ACTORS)
def test_nobody_comes_in_who_may_not(name, books):
    actor, wrong = ACTORS[name], {}
    who = actor.enters(books)
    for route, row in ROWS.items():
        right = EXCEPT.get((name, route), actor.may.get(row.kind))
        if right:
            status, is_shown = asked(who, row, books.names)
            if status not in right or is_shown:
                wrong[route] = (status, is_shown)
    assert wrong == {}
    assert Import.objects.of(books.organization.pk).get() == books.source


def test_whoever_may_is_shown_what_is_planted(books):
    """The matrix proves nothing about an address that shows nothing to anybody."""
    reader = {"X-Api-Key": api_key(books.organization, name="reader")}
    owner = MembershipFactory(organization=books.organization, role="owner").user
    hidden = []
    for route, row in ROWS.items():
        if row.shows:
            found = asked(owner if row.kind in PAGES else reader, row, books.names)
            if found != ("200", True):
                hidden.append((route, *found))
    assert hidden == []
