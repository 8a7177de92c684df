"""Books of two days of October and one of September, and what a page says of them."""

import html
import json
import re

from accounting.models import Project
from tests.factories import MembershipFactory
from tests.queries.posted import NOON, post, priced_organization, project_of
from tests.records import usage_record

OCTOBER = "from=2026-10-01&to=2026-11-01"


def october(client):
    """Sign in as an owner of books in which two projects used opal and jade.

    In September opal took 1,000,000 in: 0.50 USD. In October opal took 3,000,000 in, 1,000,000 of them
    cached: 1.10, and jade 1,000,000 in and 100,000 out: 4.50.
    """
    organization = priced_organization()
    other = Project.objects.create(organization=organization, slug="search", name="Search")
    first = {"project_id": project_of(organization).pk, "response_model": "opal"}
    second = {"project_id": other.pk, "response_model": "jade"}
    ann = {"user_id": "ann", "team": "red"}
    post(
        organization,
        usage_record(
            "s1", at=NOON.replace(month=9), input_tokens=1_000_000, output_tokens=0, **first
        ),
        usage_record(
            "o1",
            at=NOON,
            input_tokens=3_000_000,
            cache_read_input_tokens=1_000_000,
            output_tokens=0,
            session_id="talk",
            place=ann,
            **first,
        ),
        usage_record(
            "o2",
            at=NOON.replace(day=2),
            input_tokens=1_000_000,
            cache_read_input_tokens=0,
            output_tokens=100_000,
            place={"user_id": "bo", "team": "red"},
            **second,
        ),
    )
    client.force_login(MembershipFactory(organization=organization, role="owner").user)
    return organization


def read(client, address):
    """A page's text; it answers 200."""
    answer = client.get(address)
    assert answer.status_code == 200, answer.content.decode()
    return answer.content.decode()


def values(text):
    """Every exact number of a page, as text."""
    return set(re.findall(r'<data[^>]* value="([^"]*)"', text))


def curl_of(text, key):
    """The address that a panel's line of curl asks."""
    found = re.search(rf'id="curl-{key}">([^<]*)<', text)
    return re.search(r"'http://testserver([^']+)'", html.unescape(found[1]))[1]


def figures(text):
    """The figures a page draws, by their keys."""
    return {
        key: json.loads(found)
        for key, found in re.findall(
            r'<script id="([^"]+)" type="application/json">(.*?)</script>', text
        )
    }
