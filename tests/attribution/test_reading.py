"""Rules at work on what is read: what names a project keeps it, then the first rule that fits decides."""

import pytest

from accounting.domain.attribution import BadRuleError, Conditions
from accounting.models import AttributionRule, Project, UsageEvent, UsageHour
from accounting.services.attribution import add_rule, remove_rule
from tests.factories import ProjectFactory
from tests.ingest.conftest import event, ndjson, read_all


@pytest.fixture
def shop(books):
    return ProjectFactory(organization=books, slug="shop", cost_center="CC-7")


@pytest.fixture
def lab(books):
    return ProjectFactory(organization=books, slug="lab")


def rule(project, **asked):
    position = asked.pop("position", None)
    return add_rule(
        organization_id=project.organization_id,
        project_id=project.pk,
        asks=Conditions(**asked),
        position=position,
    )


def settled():
    """The project's slug and what settled it, by the number of the event."""
    slugs = dict(Project.objects.values_list("pk", "slug"))
    return {
        event.response_id or event.gateway_request_id: (
            slugs[event.project_id],
            event.project_basis,
        )
        for event in UsageEvent.objects.all()
    }


def test_the_first_rule_that_fits_decides(books, ingest, log, shop, lab):
    rule(shop, team="search", user_id="ana")
    rule(lab, team="search")
    lines = ndjson(
        event(1, team="search", user_id="ana"),
        event(2, team="search", user_id="bo"),
        event(3, team="billing"),
    )
    ingest(log("a.jsonl", lines))
    assert settled() == {
        "r-1": ("shop", "rule"),
        "r-2": ("lab", "rule"),
        "r-3": ("default", "default"),
    }
    assert UsageEvent.objects.get(response_id="r-1").cost_center == "CC-7"
    hours = UsageHour.objects.values_list("project_id", "input_tokens")
    assert dict(hours)[shop.pk] == 100


def test_what_names_a_project_keeps_it(books, ingest, log, push, shop, lab):
    rule(shop, team="*")
    ingest(log("a.jsonl", ndjson(event(1, team="x", project="lab"))))
    ingest(log("b.jsonl", ndjson(event(2, team="x"))), "--project", "lab")
    push(ndjson(event(3, team="x")), "?project=lab")
    push(ndjson(event(4, team="x")))
    push(ndjson(event(5)))
    read_all()
    assert settled() == {
        "r-1": ("lab", "record"),
        "r-2": ("lab", "import"),
        "r-3": ("lab", "import"),
        "r-4": ("shop", "rule"),
        "r-5": ("default", "key"),
    }


def test_a_keys_name_is_the_one_the_log_tells_else_that_of_the_key_that_sent_it(
    books, push, shop, lab
):
    rule(shop, api_key_name="gateway")
    rule(lab, api_key_name="team-*")
    push(ndjson(event(1), event(2, api_key_name="team-a")))
    read_all()
    assert settled() == {"r-1": ("shop", "rule"), "r-2": ("lab", "rule")}


@pytest.mark.parametrize(
    "asked",
    [
        {"tag": "app", "tag_value": "shop"},
        {"tag": "app"},
        {"working_folder": "/srv/shop"},
    ],
)
def test_tags_and_working_folders_are_asked(books, ingest, log, shop, asked):
    rule(shop, **asked)
    body = ndjson(
        event(1, tags={"app": "shop"}, working_folder="/srv/shop/api"),
        event(2, tags={"env": "shop"}, working_folder="/srv/shopping"),
    )
    ingest(log("a.jsonl", body))
    assert settled()["r-1"] == ("shop", "rule")
    assert settled()["r-2"] == ("default", "default")


def test_a_rule_of_an_archived_project_rests(books, ingest, log, shop):
    rule(shop, team="*")
    Project.objects.filter(pk=shop.pk).update(archived_at="2026-01-01T00:00Z")
    ingest(log("a.jsonl", ndjson(event(1, team="x"))))
    assert settled() == {"r-1": ("default", "default")}


def positions():
    return list(AttributionRule.objects.order_by("position").values_list("position", "team"))


def test_rules_keep_one_order_without_gaps(books, shop):
    for team in "abc":
        rule(shop, team=team)
    rule(shop, team="first", position=1)
    rule(shop, team="third", position=3)
    rule(shop, team="last", position=99)
    assert positions() == [(1, "first"), (2, "a"), (3, "third"), (4, "b"), (5, "c"), (6, "last")]
    assert remove_rule(organization_id=books.pk, position=2)
    assert positions() == [(1, "first"), (2, "third"), (3, "b"), (4, "c"), (5, "last")]
    assert not remove_rule(organization_id=books.pk, position=9)


@pytest.mark.parametrize(
    "asked", [{}, {"team": "x" * 201}, {"working_folder": "/" * 1001}, {"tag_value": "x"}]
)
def test_a_rule_that_cannot_be_kept_is_refused(books, shop, asked):
    with pytest.raises(BadRuleError):
        rule(shop, **asked)
    assert not AttributionRule.objects.exists()
