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
    first_fit,
)

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
    "asked",
    [{}, {"tag_value": "search"}, {"team": "a\0b"}],
)
def test_a_rule_that_asks_nothing_or_nonsense_is_refused(asked):
    with pytest.raises(BadRuleError):
        checked_conditions(Conditions(**asked))


@given(st.text(min_size=1))
def test_a_name_without_a_star_fits_exactly_itself(name):
    asked = Conditions(team=name.replace("*", "+"))
    assert asked.fit(Facts(team=asked.team))
    assert not asked.fit(Facts(team=asked.team + "x"))
