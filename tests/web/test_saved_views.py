"""Views that people save: their own, those they share, and what they lead to."""

import html

import pytest

from accounting.models import SavedView
from accounting.services import saved_views
from tests.factories import MembershipFactory
from tests.web.october import read

ADDRESS = "/explore/?range=90d&group=team&sub=model&show=share"


def save(client, name="Teams", address=ADDRESS, **more):
    return client.post("/views/save", {"name": name, "next": address, **more})


def test_a_saved_view_leads_back_to_its_address(page):
    answer = save(page)
    assert answer.headers["Location"] == ADDRESS
    text = html.unescape(read(page, "/cache/"))
    assert f'href="{ADDRESS}">Teams</a>' in text


def test_a_place_in_a_list_is_no_part_of_a_view(page):
    save(
        page,
        address="/requests/?model=opal&after=2026-10-01T00%3A00%3A00%2B00%3A00~&page=3&user=%00",
    )
    assert SavedView.objects.get().query == "model=opal&user="


def test_saving_a_name_again_replaces_the_view(page):
    save(page)
    save(page, address="/?range=7d")
    view = SavedView.objects.get()
    assert (view.page, view.query) == ("overview", "range=7d")


def test_a_view_is_its_owners_alone_unless_it_is_shared(page, client, organization, member):
    save(page)
    save(page, name="Ours", is_shared="1")
    client.force_login(MembershipFactory(organization=organization, role="viewer").user)
    text = read(client, "/requests/")
    assert ">Ours</a>" in text
    assert f"shared by {member.user.username}" in text
    assert ">Teams</a>" not in text


def test_another_organization_finds_none_of_them(page, client):
    save(page, is_shared="1")
    client.force_login(MembershipFactory().user)
    assert ">Teams</a>" not in read(client, "/requests/")


def test_whoever_may_only_look_saves_for_themselves_and_shares_nothing(client, organization):
    client.force_login(MembershipFactory(organization=organization, role="viewer").user)
    assert save(client).status_code == 302
    assert save(client, name="Ours", is_shared="1").status_code == 403
    assert [view.name for view in SavedView.objects.all()] == ["Teams"]


def test_a_view_is_removed_by_its_owner_or_if_shared_by_who_may(page, client, organization):
    save(page)
    save(page, name="Ours", is_shared="1")
    own, shared = SavedView.objects.order_by("pk")
    client.force_login(MembershipFactory(organization=organization, role="viewer").user)
    assert client.post(f"/views/{shared.pk}/remove").status_code == 404
    client.force_login(MembershipFactory(organization=organization, role="finance").user)
    answer = client.post(f"/views/{own.pk}/remove")  # of which nobody else knows
    assert answer.headers["Location"] == "/"
    assert client.post(f"/views/{shared.pk}/remove", {"next": "/cache/"}).status_code == 302
    assert SavedView.objects.get() == own


def test_a_view_that_is_gone_already_is_no_mistake(page):
    save(page)
    address = f"/views/{SavedView.objects.get().pk}/remove"
    assert page.post(address, {"next": "/cache/"}).headers["Location"] == "/cache/"
    assert "The view Teams is gone." in html.unescape(read(page, "/cache/"))
    assert page.post(address, {"next": "/cache/"}).headers["Location"] == "/cache/"
    assert "This view was gone already." in html.unescape(read(page, "/cache/"))


@pytest.mark.parametrize("address", ["/prices/", "/nowhere/", "/sessions/one/?id=x"])
def test_other_pages_are_no_views(page, address):
    assert save(page, address=address).status_code == 404


@pytest.mark.parametrize("name", ["", "   ", "x" * 121])
def test_a_name_that_is_none_is_refused_in_words(page, name):
    answer = save(page, name=name)
    assert answer.status_code == 302
    assert "a view&#x27;s name has 1 to 120 characters" in read(page, "/cache/")
    assert not SavedView.objects.exists()


def test_nobody_keeps_too_many(page, monkeypatch):
    monkeypatch.setattr(saved_views, "MOST_VIEWS", 1)
    save(page)
    save(page, name="Another")
    assert [view.name for view in SavedView.objects.all()] == ["Teams"]
    assert "nobody keeps more than 1 views" in read(page, "/cache/")


def test_a_view_with_markup_in_its_name_is_text(page):
    save(page, name="<script>alert(1)</script>")
    assert "<script>alert(1)" not in read(page, "/explore/")
