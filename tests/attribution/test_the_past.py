"""Rules applied to what is in the books already: it moves, its sums with it, and what was named stays."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounting.models import Import, Project, UsageDayAttribute, UsageEvent, UsageHour
from accounting.services.attribution import remove_rule
from accounting.services.closed_months import close_month
from accounting.services.price_files import BookRow
from accounting.services.price_rows import RateRow
from accounting.services.pricebooks import add_rates
from accounting.services.reattribution import reattribute
from accounting.services.rollups import differences
from ingest.services.undoing import undo_imports
from tests.attribution.test_reading import lab, rule, settled, shop
from tests.ingest.conftest import event, ndjson, read_all
from tests.undoing.books import snapshot

__all__ = ["lab", "shop"]
MARCH, MAY = date(2026, 3, 1), datetime(2026, 5, 2, tzinfo=UTC)


@pytest.fixture
def attribution(books):
    """Run the command with --json; its objects, or what it refuses, and its exit code."""

    def ran(*arguments):
        out = StringIO()
        try:
            call_command("attribution", *map(str, arguments), "--json", stdout=out)
        except CommandError as error:
            return str(error), error.returncode
        return [json.loads(line) for line in out.getvalue().splitlines()], 0

    return ran


def apply(books, **how):
    found = reattribute(organization_id=books.pk, is_dry=False, **how)
    assert not any(differences(organization_id=books.pk).values())
    return found


def tokens():
    """Input tokens by project, from the hours."""
    slugs = dict(Project.objects.values_list("pk", "slug"))
    sums = {}
    for number, count in UsageHour.objects.values_list("project_id", "input_tokens"):
        sums[slugs[number]] = sums.get(slugs[number], 0) + count
    return sums


def price(books, amount, *, code="own", project=""):
    rows = [
        RateRow(
            provider="openai",
            model="gpt-4o",
            unit=unit,
            price=Decimal(amount),
            effective_from=datetime(2020, 1, 1, tzinfo=UTC),
        )
        for unit in ("input", "output")
    ]
    book = BookRow(code=code, currency="USD", project=project)
    add_rates(rows, organization=books, book=book)


def test_a_dry_run_shows_what_applying_then_moves(books, attribution, ingest, log, shop):
    price(books, "1")
    ingest(log("a.jsonl", ndjson(event(1, team="x"), event(2, team="x"), event(3))))
    ((added,), code) = attribution("add", "--project", "shop", "--team", "x")
    assert (code, added) == (0, {"position": 1, "project": "shop", "team": "x"})
    before = snapshot()

    (move, total), code = attribution("dry-run")
    assert (code, snapshot() == before) == (0, True)
    assert move == {
        "from_project": "default",
        "to_project": "shop",
        "basis": "rule",
        "events": 2,
        "requests": 2,
        "cost": {"USD": "0.00022"},
    }
    assert total == {
        "total": True,
        "is_dry": True,
        "looked_at": 3,
        "events": 2,
        "in_closed_months": 0,
    }

    moved, code = attribution("apply")
    assert moved == [move, {**total, "is_dry": False}]
    assert tokens() == {"default": 100, "shop": 200}
    assert settled()["r-1"] == ("shop", "rule")
    assert not any(differences(organization_id=books.pk).values())
    assert attribution("apply")[0][0]["events"] == 0


def test_what_named_a_project_stays(books, ingest, log, push, shop, lab):
    ingest(log("a.jsonl", ndjson(event(1, team="x", project="default"))))
    ingest(log("b.jsonl", ndjson(event(2, team="x"))), "--project", "default")
    push(ndjson(event(3, team="x")))
    read_all()
    rule(shop, team="x")
    assert apply(books).events == 1
    assert tokens() == {"default": 200, "shop": 100}


def test_the_past_follows_every_change_of_the_rules(books, ingest, log, shop, lab):
    ingest(log("a.jsonl", ndjson(*(event(n, team="x", user_id=f"u{n}") for n in range(7)))))
    before = snapshot()
    rule(shop, team="x")
    assert apply(books, chunk=2).events == 7
    rule(lab, user_id="u3", position=1)
    assert apply(books, chunk=3).events == 1
    assert tokens() == {"shop": 600, "lab": 100}
    for _ in range(2):
        remove_rule(organization_id=books.pk, position=1)
    assert apply(books).events == 7
    assert snapshot() == before


def test_what_a_key_sent_goes_back_to_the_keys_project(books, push, shop):
    push(ndjson(event(1, team="x")))
    read_all()
    rule(shop, team="x")
    apply(books)
    remove_rule(organization_id=books.pk, position=1)
    apply(books)
    assert settled() == {"r-1": ("default", "key")}


def test_a_closed_month_keeps_its_projects(books, ingest, log, shop):
    body = ndjson(
        event(1, team="x", started_at="2026-03-02T10:00:00Z"),
        event(2, team="x", started_at="2026-04-02T10:00:00Z"),
    )
    ingest(log("a.jsonl", body))
    close_month(organization_id=books.pk, month=MARCH, now=MAY)
    rule(shop, team="x")
    found = apply(books)
    assert (found.events, found.in_closed_months) == (1, 1)
    assert tokens() == {"default": 100, "shop": 100}


def test_a_correction_of_a_closed_month_stays_with_what_it_corrects(books, ingest, log, shop):
    ingest(log("a.jsonl", ndjson(event(1, team="x"))))
    close_month(organization_id=books.pk, month=MARCH, now=MAY)
    price(books, "1")
    assert UsageEvent.objects.filter(operation="correction").count() == 1
    rule(shop, team="x")
    assert apply(books).events == 0
    assert settled()["r-1"] == ("default", "default")
    assert shop.pk not in set(UsageEvent.objects.values_list("project_id", flat=True))


def test_only_the_days_asked_for_are_moved(books, attribution, ingest, log, shop):
    body = ndjson(*(event(n, team="x", started_at=f"2026-04-0{n}T00:00:00Z") for n in range(1, 5)))
    ingest(log("a.jsonl", body))
    rule(shop, team="x")
    told, _ = attribution("apply", "--from", "2026-04-02", "--to", "2026-04-04")
    assert told[-1]["events"] == 2
    assert {number for number, (slug, _) in settled().items() if slug == "shop"} == {"r-2", "r-3"}


def centers():
    return dict(
        UsageDayAttribute.objects.filter(attribute="cost_center").values_list("value", "parts")
    )


def test_a_projects_cost_centre_goes_with_it_and_one_that_was_told_stays(books, ingest, log, shop):
    ingest(log("a.jsonl", ndjson(event(1, team="x"), event(2, team="x", cost_center="CC-1"))))
    rule(shop, team="x")
    apply(books)
    assert centers() == {"CC-7": 1, "CC-1": 1}
    remove_rule(organization_id=books.pk, position=1)
    apply(books)
    assert centers() == {"none": 1, "CC-1": 1}


def test_a_project_with_prices_of_its_own_has_them_for_what_moves_there(books, ingest, log, shop):
    price(books, "1")
    price(books, "3", code="shop", project="shop")
    ingest(log("a.jsonl", ndjson(event(1, team="x"))))
    event_before = UsageEvent.objects.get()
    assert event_before.cost == Decimal("0.00011")
    rule(shop, team="x")
    apply(books)
    moved = UsageEvent.objects.get()
    assert moved.cost == Decimal("0.00033")
    assert moved.price_version == event_before.price_version


def test_a_row_that_comes_back_when_an_import_is_undone_has_moved_too(books, ingest, log, shop):
    price(books, "1")
    price(books, "3", code="shop", project="shop")
    ingest(log("a.jsonl", ndjson(event(1, team="x"))))
    ingest(log("b.jsonl", ndjson(event(1, team="x", output_tokens=900))))
    rule(shop, team="x")
    apply(books)
    newest = UsageEvent.objects.get()
    assert newest.cost == Decimal("0.003")
    undo_imports(organization_id=books.pk, import_ids=[Import.objects.latest("pk").pk])
    event_now = UsageEvent.objects.get()
    assert (event_now.project_id, event_now.output_tokens) == (shop.pk, 10)
    assert event_now.cost == Decimal("0.00033")
    assert event_now.cost_center == "CC-7"
    assert not any(differences(organization_id=books.pk).values())


def test_a_row_that_named_its_project_comes_back_as_it_was(books, ingest, log, shop):
    ingest(log("a.jsonl", ndjson(event(1, team="x", project="default"))))
    earlier = event(1, team="x", started_at="2026-03-02T09:00:00Z")
    ingest(log("b.jsonl", ndjson(earlier)))
    rule(shop, team="x")
    assert apply(books).events == 1
    undo_imports(organization_id=books.pk, import_ids=[Import.objects.latest("pk").pk])
    assert settled() == {"r-1": ("default", "record")}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("add", "--project", "nowhere", "--team", "x"), 2, "no project 'nowhere'"),
        (("add", "--project", "default"), 1, "bad_rule: "),
        (("add", "--project", "default", "--tag", "=x"), 1, "bad_rule: "),
        (("remove", 4), 1, "there is no rule 4"),
        (("apply", "--from", "yesterday"), 2, "expected a day"),
        (("dry-run", "--to", "1999-01-01"), 2, "expected a day"),
    ],
)
def test_what_makes_no_sense_is_refused(attribution, arguments, code, message):
    said, exit_code = attribution(*arguments)
    assert exit_code == code
    assert message in said


def test_the_rules_are_listed_in_order(attribution, shop, lab):
    attribution("add", "--project", "lab", "--tag", "app=web*", "--folder", "/srv")
    attribution("add", "--project", "shop", "--key", "ci", "--user", "*@x", "--position", "1")
    listed, code = attribution("list")
    assert code == 0
    assert listed == [
        {"position": 1, "project": "shop", "api_key_name": "ci", "user_id": "*@x"},
        {
            "position": 2,
            "project": "lab",
            "tag": "app",
            "tag_value": "web*",
            "working_folder": "/srv",
        },
    ]
    assert attribution("remove", 1)[1] == 0
    assert [one["position"] for one in attribution("list")[0]] == [1]
