"""The sample fills the books the same way every time, and leaves nothing when it goes."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounting.models import Import, Project, SessionTotal, UsageEvent, UsageHour
from accounting.services.demo import is_loaded, load_demo, remove_demo
from accounting.services.rollups import differences
from accounting.services.tenants import create_api_key, ensure_defaults

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def organization():
    return ensure_defaults()


def test_the_sample_is_loaded_once_and_its_own_model_changes_price(organization):
    first = load_demo(organization_id=organization.pk, now=NOW)
    second = load_demo(organization_id=organization.pk, now=NOW)

    assert first.requests > 3_000
    assert second.requests == 0
    assert is_loaded(organization.pk)
    source = Import.objects.of(organization.pk).get()
    assert source.lines == source.recorded
    own = UsageEvent.objects.of(organization.pk).filter(model="harbor-32b", input_tokens__gt=0)
    # Nothing prices its cached input apart, so all of its input costs the one price.
    prices = {event.cost_input * 1_000_000 / event.input_tokens for event in own}
    assert prices == {Decimal("0.6"), Decimal("0.4")}


def test_removing_the_sample_leaves_empty_and_right_books(organization):
    load_demo(organization_id=organization.pk, now=NOW)
    remove_demo(organization_id=organization.pk)

    for table in (UsageEvent, UsageHour, SessionTotal, Import):
        assert not table.objects.of(organization.pk).exists()
    assert set(differences(organization_id=organization.pk).values()) == {0}


def test_removing_the_sample_archives_its_projects_unless_they_are_in_use(organization):
    load_demo(organization_id=organization.pk, now=NOW)
    kept = Project.objects.of(organization.pk).get(slug="search")
    create_api_key(
        organization_id=organization.pk, project_id=kept.pk, name="ours", scopes=["ingest"]
    )
    remove_demo(organization_id=organization.pk)
    open_ones = Project.objects.of(organization.pk).filter(archived_at=None)
    assert set(open_ones.values_list("slug", flat=True)) == {"default", "search"}

    load_demo(organization_id=organization.pk, now=NOW)
    assert open_ones.count() == 4


def test_the_commands_print_json_alone(organization):
    out = StringIO()
    call_command("demo", "--json", stdout=out)
    assert json.loads(out.getvalue())["requests"] > 3_000

    out = StringIO()
    call_command("rollups", "verify", "--json", stdout=out)
    assert json.loads(out.getvalue())["differences"] == 0

    out = StringIO()
    call_command("rollups", "rebuild", "--json", stdout=out)
    assert json.loads(out.getvalue())["rows"] > 1_000


def test_verify_of_wrong_sums_exits_with_1(organization):
    load_demo(organization_id=organization.pk, now=NOW)
    UsageHour.objects.of(organization.pk).filter(parts=1).update(parts=2)

    with pytest.raises(CommandError) as error:
        call_command("rollups", "verify", stdout=StringIO())
    assert error.value.returncode == 1


@pytest.mark.parametrize("command", ["demo", "rollups"])
def test_an_unknown_organization_is_wrong_usage(organization, command):
    with pytest.raises(CommandError) as error:
        call_command(command, *(["verify"] if command == "rollups" else []), organization="nobody")
    assert error.value.returncode == 2
