"""What holds for an organization, and its projects, changed on a page."""

import pytest

from accounting.models import AttributionRule, Project
from tests.factories import MembershipFactory, ProjectFactory
from tests.queries.posted import posted
from tests.web.ledger import filled

ABOUT = {
    "name": "Mill & Co",
    "currency": "CNY",
    "time_zone": "Asia/Shanghai",
    "week_start": "6",
}


def test_name_currency_and_zone_are_kept(page, organization):
    answer = page.post("/settings/organization", ABOUT)
    assert answer.headers["Location"] == "/settings/"
    organization.refresh_from_db()
    kept = (organization.name, organization.currency, organization.time_zone)
    assert kept == ("Mill & Co", "CNY", "Asia/Shanghai")
    assert organization.week_start == 6
    assert '<option value="6" selected>Sunday</option>' in page.get("/settings/").content.decode()


def test_weeks_of_a_page_begin_on_the_day_that_was_chosen(page, organization):
    ProjectFactory(organization=organization, slug="default")
    posted(organization, {"input_tokens": 7})  # on Thursday 1 October 2026
    address = "/explore/?from=2026-10-01&to=2026-10-02&bucket=week&metric=input_tokens"
    assert "week of 28 Sep 2026" in page.get(address).content.decode()
    page.post("/settings/organization", {**ABOUT, "currency": "USD", "time_zone": "UTC"})
    assert "week of 27 Sep 2026" in page.get(address).content.decode()


def test_another_zone_cuts_the_sums_anew(page, organization):
    ProjectFactory(organization=organization, slug="default")
    posted(organization, {"input_tokens": 7})
    page.post("/settings/organization", {**ABOUT, "currency": "USD"})
    assert "7</data>" in page.get("/?range=all").content.decode()


def test_the_currency_stays_once_something_has_a_cost(page, organization):
    filled(organization)
    answer = page.post("/settings/organization", ABOUT)
    assert answer.status_code == 422
    assert "costs are booked in USD" in answer.content.decode()
    organization.refresh_from_db()
    assert organization.currency == "USD"


def test_a_zone_that_is_none_is_refused_in_words(page):
    answer = page.post("/settings/organization", {**ABOUT, "time_zone": "Moon/Tranquility"})
    assert answer.status_code == 422
    assert "Select a valid choice" in answer.content.decode()


def test_a_zone_named_after_no_place_stays_what_it_is(page, organization):
    organization.time_zone = "EST5EDT"
    organization.save()
    assert '<option value="EST5EDT" selected>' in page.get("/settings/").content.decode()


def test_a_project_is_added_renamed_put_away_and_brought_back(page, organization):
    page.post("/settings/projects", {"name": "Search Team", "cost_center": "K-7"})
    project = Project.objects.of(organization.pk).get()
    assert (project.slug, project.cost_center) == ("search-team", "K-7")
    one = f"/settings/projects/{project.pk}"
    page.post(one, {"name": "Find Team", "cost_center": ""})
    page.post(one, {"do": "archive"})
    project.refresh_from_db()
    assert (project.name, project.slug, project.cost_center) == ("Find Team", "search-team", "")
    assert project.archived_at is not None
    assert "archived" in page.get("/settings/").content.decode()
    page.post(one, {"do": "restore"})
    project.refresh_from_db()
    assert project.archived_at is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Search", "there is a project named &#x27;Search&#x27; already"),
        ("search!", "too much like a project there is"),
        ("", "This field is required."),
    ],
)
def test_a_project_that_can_not_be_is_refused_in_words(page, project, name, said):
    answer = page.post("/settings/projects", {"name": name})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert Project.objects.count() == 1


def test_two_projects_never_get_one_name(page, organization, project):
    other = ProjectFactory(organization=organization, slug="other", name="Other")
    answer = page.post(f"/settings/projects/{other.pk}", {"name": "Search"}, follow=True)
    assert "there is a project named &#x27;Search&#x27; already" in answer.content.decode()
    other.refresh_from_db()
    assert other.name == "Other"


def test_the_default_project_stays(page, organization):
    project = ProjectFactory(organization=organization, slug="default")
    answer = page.post(f"/settings/projects/{project.pk}", {"do": "archive"}, follow=True)
    assert "so it stays" in answer.content.decode()
    project.refresh_from_db()
    assert project.archived_at is None


def test_another_organizations_project_is_not_found(page, db):
    foreign = ProjectFactory(name="Foreign")
    assert page.post(f"/settings/projects/{foreign.pk}", {"do": "archive"}).status_code == 404


def test_rules_and_people_are_shown(page, organization, project, member):
    AttributionRule.objects.create(
        organization=organization, position=1, project=project, team="search"
    )
    text = page.get("/settings/").content.decode()
    assert "<code>search</code>" in text
    assert member.user.get_username() in text


def test_a_viewer_is_shown_the_settings_and_changes_none(client, organization):
    client.force_login(MembershipFactory(role="viewer", organization=organization).user)
    text = client.get("/settings/").content.decode()
    assert "Keep for everybody" not in text
    assert "Add a project" not in text
    assert client.post("/settings/organization", ABOUT).status_code == 403
