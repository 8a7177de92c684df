"""Undoing an import on its page."""

import pytest

from accounting.models import Import, UsageEvent
from accounting.services.tenants import default_project
from tests.factories import ImportFactory, MembershipFactory, ProjectFactory
from tests.records import usage_record
from tests.undoing.books import told


@pytest.fixture
def tell(organization):
    project = ProjectFactory(organization=organization, slug="default")
    assert default_project(organization.pk) == project

    def posted(*ids):
        records = [usage_record(number, project_id=project.pk) for number in ids]
        return told(organization, *records)

    return posted


def text_of(page, source):
    return page.get(f"/imports/{source.pk}/").content.decode()


def test_an_import_is_undone_by_its_button(page, tell):
    source = tell("a", "b")
    assert f'action="/imports/{source.pk}/undo"' in text_of(page, source)
    text = page.post(f"/imports/{source.pk}/undo", follow=True).content.decode()
    assert "2 request parts are no longer in the books" in text
    assert "its file counts anew" in text
    assert "/undo" not in text
    assert not UsageEvent.objects.exists()


def test_later_imports_that_met_it_are_linked_and_can_go_with_it(page, tell):
    first, later = tell("a"), tell("a", "b")
    text = text_of(page, first)
    assert f'<a href="/imports/{later.pk}/">' in text
    assert f'<input type="hidden" name="with" value="{later.pk}">' in text
    refused = page.post(f"/imports/{first.pk}/undo", follow=True).content.decode()
    assert f"undo them first: {later.pk}" in refused
    assert UsageEvent.objects.count() == 2
    page.post(f"/imports/{first.pk}/undo", {"with": [str(later.pk)]})
    assert not UsageEvent.objects.exists()
    assert set(Import.objects.values_list("state", flat=True)) == {"undone"}


@pytest.mark.parametrize("nonsense", ["x", "-1", "9" * 30, "٣", ""])
def test_what_is_no_import_is_refused_in_words(page, tell, nonsense):
    source = tell("a")
    text = page.post(f"/imports/{source.pk}/undo", {"with": nonsense}, follow=True)
    assert "there is no import" in text.content.decode()
    assert UsageEvent.objects.exists()


@pytest.mark.parametrize("state", ["receiving", "ready", "reading", "undone"])
def test_where_nothing_can_be_undone_there_is_no_button(page, organization, state):
    source = ImportFactory(organization=organization, state=state, lines=1, recorded=1)
    assert 'id="undo"' not in text_of(page, source)


def test_a_viewer_finds_no_button_and_can_not_undo(client, organization, tell):
    source = tell("a")
    client.force_login(MembershipFactory(organization=organization, role="viewer").user)
    assert 'id="undo"' not in text_of(client, source)
    assert client.post(f"/imports/{source.pk}/undo").status_code == 403


def test_another_organizations_import_is_not_undone(page, db):
    foreign = ImportFactory()
    assert page.post(f"/imports/{foreign.pk}/undo").status_code == 404
