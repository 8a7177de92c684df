"""One model under many spellings: from the name a log wrote to the names a price table may know.

A name is only ever shortened at its ends by the rules below and then looked up whole. There is no
search for parts of names and no "nearest" name: a wrong model's price is worse than none.
"""

import re
from collections.abc import Iterable, Mapping

from accounting.domain.naming import PROVIDERS

#: The paths that clouds put before a model's name, up to the last of them.
_PATH = re.compile(r"^(?:.*/)?models/")
#: Of an ARN, what follows its sixth field and the last slash.
_ARN = re.compile(r"^arn:(?:[^:]*:){4}(?:.*/)?")
_REGION = re.compile(r"^(?:us|eu|apac|jp|au|in|global|us-gov)\.(?=[a-z0-9-]+\.)")
_VENDOR = re.compile(
    r"^(?:anthropic|meta|amazon|mistral|cohere|ai21|deepseek|openai|qwen|moonshotai|zai|google)\.(?=[a-z])"
)
#: Bedrock's version, context variants, and the routing wishes of OpenRouter. Not ':free', which has
#: its own price.
_VERSION = re.compile(r"(?:-v\d+(?::\d+)?|:\d+)$")
_WISH = re.compile(r"(?:\[1m\]|:(?:nitro|thinking|online|beta|exacto|floor))$")
_DATE = re.compile(r"[-@](20\d{2})-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])$")
_LATEST = re.compile(r"[-@:](?:latest|default)$")
#: claude-4.5-sonnet, as OpenRouter, Cursor and Copilot show it, is claude-sonnet-4-5 to Anthropic.
_CLAUDE_SHOWN = re.compile(r"^claude-(\d+(?:-\d{1,2})?)-(opus|sonnet|haiku|fable|mythos)\b(.*)$")


def model_keys(written: str) -> tuple[str, ...]:
    """The names under which a model may stand in a price table, the most specific first.

    The name as written comes first, so that a table may price a dated or a free variant apart.
    """
    name = written.strip().lower()
    keys = [name]
    for shorten in (_without_route, _without_region, _without_vendor):
        name = shorten(name)
        keys.append(name)
    undated = []
    for key in keys:
        undated += [_without_wish(key), _without_version(_without_wish(key))]
    keys += undated
    keys += [_dashed(key) for key in keys]
    keys += [_in_vendor_order(key) for key in keys]
    keys += [_DATE.sub(r"-\1-\2-\3", key) for key in keys]
    keys += [_DATE.sub(r"-\1\2\3", key) for key in keys]
    keys += [_without_version(_DATE.sub("", key)) for key in keys]
    keys += [_LATEST.sub("", key) for key in keys]
    return tuple(key for key in dict.fromkeys(keys) if key)


def listed_keys(name: str) -> tuple[str, ...]:
    """The spellings of a listed name: itself, without Bedrock's version, with dashes for dots."""
    lower = name.strip().lower()
    keys = (lower, _without_version(lower))
    return tuple(dict.fromkeys((*keys, *(_dashed(key) for key in keys))))


def provider_in_name(written: str) -> str:
    """The provider that a name like 'openai/gpt-4o' says itself; '' where it says none."""
    head, slash, _ = written.strip().lower().partition("/")
    return PROVIDERS.get(head, "") if slash else ""


def index_of(names: Iterable[str], aliases: Mapping[str, str]) -> dict[str, str]:
    """Every spelling under which listed names and their aliases are found -> the listed name.

    A name as listed beats an alias, an alias beats a respelled name.
    """
    index: dict[str, str] = {}
    names = sorted(names)
    for name in names:
        index.setdefault(name.strip().lower(), name)
    for alias in sorted(aliases):
        index.setdefault(alias, aliases[alias])
    for name in names:
        for key in listed_keys(name):
            index.setdefault(key, name)
    for alias in sorted(aliases):
        for key in listed_keys(alias):
            index.setdefault(key, aliases[alias])
    return index


def _without_route(name: str) -> str:
    name = name.removeprefix("auto: ")
    name = _ARN.sub("", _PATH.sub("", name))
    head, slash, rest = name.partition("/")
    while slash and head in PROVIDERS:
        name = rest
        head, slash, rest = name.partition("/")
    return name


def _without_region(name: str) -> str:
    return _REGION.sub("", name)


def _without_vendor(name: str) -> str:
    return _VENDOR.sub("", name)


def _without_wish(name: str) -> str:
    return _WISH.sub("", name)


def _without_version(name: str) -> str:
    return _VERSION.sub("", name)


def _dashed(name: str) -> str:
    return name.replace(".", "-")


def _in_vendor_order(name: str) -> str:
    shown = _CLAUDE_SHOWN.match(name)
    return f"claude-{shown[2]}-{shown[1]}{shown[3]}" if shown else name
