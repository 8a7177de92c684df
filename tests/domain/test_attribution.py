"""Rules that attribute usage to projects: what each asks, and that the first that fits decides."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.domain.attribution import (
    BadRuleError,
    Conditions,
    Facts,
    Rule,
    checked_conditions,
    facts_of,
    first_fit,
)
from accounting.domain.usage import Place
from tests.records import NOON

FACTS = Facts(
    api_key_name="ci-nightly",
    user_id="ana@acme.example",
    team="platform",
    tags=(("app", "search"), ("env", "")),
    working_folder="/home/ana/shop/backend",
)


@pytest.mark.parametrize(
    ("asked", "fits"),
    [
        ({"api_key_name": "ci-nightly"}, True),
        ({"api_key_name": "ci"}, False),
        ({"api_key_name": "CI-nightly"}, False),
        ({"api_key_name": "ci-*"}, True),
        ({"api_key_name": "*nightly"}, True),
        ({"api_key_name": "c*-*y"}, True),
        ({"api_key_name": "ci-nightly*"}, True),
        ({"api_key_name": "*hourly"}, False),
        ({"user_id": "*@acme.example"}, True),
        ({"user_id": "*@acme?example"}, False),
        ({"user_id": "ana@acme.example", "team": "platform"}, True),
        ({"user_id": "ana@acme.example", "team": "product"}, False),
        ({"tag": "app"}, True),
        ({"tag": "app", "tag_value": "search"}, True),
        ({"tag": "app", "tag_value": "se*"}, True),
        ({"tag": "app", "tag_value": "shop"}, False),
        ({"tag": "env"}, True),
        ({"tag": "search"}, False),
        ({"working_folder": "/home/ana/shop"}, True),
        ({"working_folder": "/home/ana/shop/"}, True),
        ({"working_folder": "/home/ana/shop/backend"}, True),
        ({"working_folder": "/home/ana/sho"}, False),
        ({"working_folder": "/home/ana/shop/backend/api"}, False),
        ({"working_folder": "/"}, True),
        ({"working_folder": "home"}, False),
    ],
)
def test_a_rule_fits_where_everything_it_asks_holds(asked, fits):
    assert Conditions(**asked).fit(FACTS) is fits


@pytest.mark.parametrize(
    ("asked", "told", "fits"),
    [
        ("C:\\work\\shop", "C:\\work\\shop\\api", True),
        ("C:\\work\\shop\\", "C:\\work\\shop", True),
        ("C:\\work\\shop", "C:\\work\\shopping", False),
        ("/", "", False),
        ("/", "/etc", True),
        ("//", "/etc", True),
        ("/work/X", "/work", False),
        ("/work", "", False),
    ],
)
def test_a_folder_holds_itself_and_what_is_below_it(asked, told, fits):
    assert Conditions(working_folder=asked).fit(Facts(working_folder=told)) is fits


@pytest.mark.parametrize("asked", ["*", "**"])
def test_any_name_is_still_a_name(asked):
    assert Conditions(team=asked).fit(Facts(team="x"))
    assert not Conditions(team=asked).fit(Facts())


def test_a_name_made_to_be_slow_is_not():
    asked = Conditions(user_id="a*" * 60 + "b")
    assert not asked.fit(Facts(user_id="a" * 200))
    assert asked.fit(Facts(user_id="a" * 199 + "b"))


@given(st.text("ab*", min_size=1, max_size=9), st.text("ab", min_size=1, max_size=9))
def test_a_star_is_any_characters(asked, told):
    assert Conditions(team=asked).fit(Facts(team=told)) is fnmatchcase(told, asked)


def rule(position, project_id, **asked):
    return Rule(position=position, project_id=project_id, asks=Conditions(**asked))


def test_the_first_rule_that_fits_decides():
    rules = [rule(1, 7, team="product"), rule(2, 8, team="plat*"), rule(3, 9, team="platform")]
    assert first_fit(rules, FACTS).project_id == 8
    assert first_fit(rules[::-1], FACTS).project_id == 9
    assert first_fit(rules, Facts()) is None


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "a rule asks for a key's name, a user, a team, a tag or a working folder"),
        ({"tag_value": "x" * 81}, f"the value '{'x' * 80}' is of no tag"),
        ({"team": "a\0b"}, "team: at most 200 characters, no NUL"),
        ({"user_id": "x" * 201}, "user_id: at most 200 characters, no NUL"),
        ({"working_folder": "x" * 1_001}, "working_folder: at most 1000 characters, no NUL"),
    ],
)
def test_a_rule_that_asks_nothing_or_nonsense_is_refused(asked, said):
    with pytest.raises(BadRuleError) as refused:
        checked_conditions(Conditions(**asked))
    assert str(refused.value) == said


@pytest.mark.parametrize(
    "asked",
    [
        {"team": "x" * 200},
        {"working_folder": "x" * 1_000},
        {"tag": "app"},
        {"tag": "app", "tag_value": "search"},
    ],
)
def test_a_rule_that_asks_something_is_taken(asked):
    conditions = Conditions(**asked)
    assert checked_conditions(conditions) is conditions


@pytest.mark.parametrize(("told", "name"), [("ci", "ci"), ("", "nightly")])
def test_rules_look_at_what_a_telling_says_and_at_the_key_that_sent_it(told, name):
    place = Place(
        started_at=NOON,
        api_key_name=told,
        user_id="ana",
        team="platform",
        tags=(("app", "search"),),
        working_folder="/home/ana",
    )
    assert facts_of(place, "nightly") == Facts(
        api_key_name=name,
        user_id="ana",
        team="platform",
        tags=(("app", "search"),),
        working_folder="/home/ana",
    )


@given(st.text(min_size=1))
def test_a_name_without_a_star_fits_exactly_itself(name):
    asked = Conditions(team=name.replace("*", "+"))
    assert asked.fit(Facts(team=asked.team))
    assert not asked.fit(Facts(team=asked.team + "x"))
