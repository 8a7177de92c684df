"""Coming in: the printed link, the password, and the two questions."""

import pytest
from django.contrib.auth.models import User

from accounting.models import Organization, Project
from accounting.services import tenants


@pytest.fixture
def owner(db):
    tenants.ensure_defaults()
    return User.objects.get(username="owner")


@pytest.fixture
def link(owner):
    return tenants.new_sign_in_link()


def test_looking_at_a_link_does_not_use_it_up(client, link):
    assert client.get(link).status_code == 200
    assert client.post(link).headers["Location"] == "/password/"


def test_a_link_signs_in_once(client, link):
    client.post(link)
    client.logout()
    assert client.post(link).status_code == 410


def test_a_made_up_link_signs_nobody_in(client, owner):
    assert client.post("/sign-in/made-up/").status_code == 410
    assert "_auth_user_id" not in client.session


def test_a_password_is_offered_and_then_works(client, link, owner):
    client.post(link)
    chosen = {"new_password1": "seven small owls", "new_password2": "seven small owls"}
    assert client.post("/password/", chosen).headers["Location"] == "/"
    client.logout()
    answer = client.post("/sign-in/", {"username": "owner", "password": "seven small owls"})
    assert answer.headers["Location"] == "/"


def test_a_session_without_the_link_needs_the_old_password(client, owner):
    owner.set_password("seven small owls")
    owner.save()
    client.force_login(owner)
    assert "old_password" in client.get("/password/").content.decode()


def test_a_wrong_password_is_answered_in_words(client, owner):
    answer = client.post("/sign-in/", {"username": "owner", "password": "wrong"})
    assert answer.status_code == 200
    assert "Please enter a correct username and password" in answer.content.decode()


def test_the_first_page_asks_for_currency_and_zone(client, link):
    client.post(link)
    assert client.get("/").headers["Location"] == "/welcome/"


def test_the_answers_open_the_books(client, link):
    client.post(link)
    answer = client.post("/welcome/", {"currency": "CNY", "time_zone": "Asia/Shanghai"})
    assert answer.headers["Location"] == "/"
    organization = Organization.objects.get()
    assert (organization.currency, organization.time_zone) == ("CNY", "Asia/Shanghai")


def test_what_is_named_by_itself_is_named_in_the_first_readers_language(client, link):
    client.post(link)
    answers = {"currency": "CNY", "time_zone": "Asia/Shanghai"}
    client.post("/welcome/", answers, headers={"accept-language": "zh-CN"})
    organization = Organization.objects.get()
    assert organization.name == "我的组织"
    assert Project.objects.of(organization.pk).get().name == "默认项目"


def test_what_people_named_keeps_its_name(client, link):
    client.post(link)
    Organization.objects.update(name="Tinkers")
    answers = {"currency": "CNY", "time_zone": "Asia/Shanghai"}
    client.post("/welcome/", answers, headers={"accept-language": "zh-CN"})
    assert Organization.objects.get().name == "Tinkers"


@pytest.mark.parametrize(
    ("languages", "currency"),
    [("zh-CN,zh;q=0.9", "CNY"), ("de-AT", "EUR"), ("en", "USD"), ("", "USD"), ("x-!!", "USD")],
)
def test_the_currency_is_guessed_from_the_browser(client, link, languages, currency):
    client.post(link)
    text = client.get("/welcome/", headers={"accept-language": languages}).content.decode()
    assert f'<option value="{currency}" selected>' in text


def test_a_zone_that_does_not_exist_is_refused(client, link):
    client.post(link)
    answer = client.post("/welcome/", {"currency": "CNY", "time_zone": "Mars/Olympus"})
    assert answer.status_code == 200
    assert Organization.objects.get().configured_at is None


def test_who_belongs_to_no_organization_sees_no_books(client, owner):
    stranger = User.objects.create_user("stranger")
    client.force_login(stranger)
    assert client.get("/").status_code == 403


def test_signing_out_needs_a_post(client, owner):
    client.force_login(owner)
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/").headers["Location"] == "/sign-in/"
