"""Which project usage belongs to that names none: rules in order, the first that fits decides."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import lru_cache

from accounting.domain.errors import DomainError
from accounting.domain.usage import PROJECT_BASES, Place

#: What settled an event's project, strongest first.
BY_LIMITED_KEY, NAMED_BY_IMPORT, NAMED_BY_RECORD, BY_RULE, BY_KEY, BY_DEFAULT = BASES = (
    PROJECT_BASES
)
#: Only what nobody named may be attributed again.
REATTRIBUTABLE = (BY_RULE, BY_KEY, BY_DEFAULT)
#: Characters that are kept of what a log tells.
NAME_LIMIT, FOLDER_LIMIT = 200, 1_000
_SEPARATORS = ("/", "\\")


class BadRuleError(DomainError):
    """A rule asks nothing, or something that no usage can answer."""

    code = "bad_rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What rules look at. api_key_name: as the log tells it, else that of the key that sent it."""

    api_key_name: str = ""
    user_id: str = ""
    team: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    working_folder: str = ""


def facts_of(place: Place, sent_by: str) -> Facts:
    """What rules look at, of a telling. sent_by: the name of the key that brought it, '' for none."""
    return Facts(
        api_key_name=place.api_key_name or sent_by,
        user_id=place.user_id,
        team=place.team,
        tags=place.tags,
        working_folder=place.working_folder,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What a rule asks; '' asks nothing, and everything that is asked must hold.

    Names may hold * for any characters, none among them; case counts. tag: a tag's key, with
    tag_value '' for any value. working_folder: that folder or one below it.
    """

    api_key_name: str = ""
    user_id: str = ""
    team: str = ""
    tag: str = ""
    tag_value: str = ""
    working_folder: str = ""

    def fit(self, facts: Facts) -> bool:
        """Whether everything that is asked holds."""
        return (
            _fits(self.api_key_name, facts.api_key_name)
            and _fits(self.user_id, facts.user_id)
            and _fits(self.team, facts.team)
            and self._fit_tag(facts.tags)
            and _lies_in(self.working_folder, facts.working_folder)
        )

    def _fit_tag(self, tags: Iterable[tuple[str, str]]) -> bool:
        return not self.tag or any(
            key == self.tag and _fits(self.tag_value, value) for key, value in tags
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule of an organization. position: among its rules, the least is asked first."""

    position: int
    project_id: int
    asks: Conditions


def first_fit(rules: Iterable[Rule], facts: Facts) -> Rule | None:
    """The first rule, in the order given, whose conditions all hold; None where none does."""
    return next((rule for rule in rules if rule.asks.fit(facts)), None)


def checked_conditions(asks: Conditions) -> Conditions:
    """The conditions; raises BadRuleError for those that ask nothing or what no log tells."""
    texts = {field.name: getattr(asks, field.name) for field in fields(asks)}
    for name, text in texts.items():
        limit = FOLDER_LIMIT if name == "working_folder" else NAME_LIMIT
        if "\0" in text or len(text) > limit:
            raise BadRuleError(f"{name}: at most {limit} characters, no NUL")
    if asks.tag_value and not asks.tag:
        raise BadRuleError(f"the value {asks.tag_value[:80]!r} is of no tag")
    if not any(texts.values()):
        raise BadRuleError(
            "a rule asks for a key's name, a user, a team, a tag or a working folder"
        )
    return asks


def _fits(asked: str, told: str) -> bool:
    if not asked:
        return True
    return asked == told if "*" not in asked else bool(told and _pattern(asked).fullmatch(told))


@lru_cache(maxsize=1_000)
def _pattern(asked: str) -> re.Pattern[str]:
    # Each part is found where it stands first and never looked for again: names come from logs, and
    # a pattern that went back could be made to take for ever.
    first, *middle, last = map(re.escape, asked.split("*"))
    return re.compile(first + "".join(f"(?>.*?{part})" for part in middle) + ".*" + last, re.DOTALL)


def _lies_in(asked: str, told: str) -> bool:
    if not asked:
        return True
    folder = asked.rstrip("/\\") or asked[:1]
    if told == folder or not told.startswith(folder):
        return told == folder
    return folder in _SEPARATORS or told[len(folder)] in _SEPARATORS
