"""The filter's grammar as options of commands."""

import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounting.models import Organization
from accounting.queries.filters import FilterError, UsageFilter, usage_filter
from accounting.services.tenants import default_organization

_WORDS = ("from", "to", "range", "tz", "group", "sub", "bucket", "purpose")
#: A tag's key may hold anything but what ends it: the first mark.
_CONDITION = re.compile(r"(\w+(?::[^=]*?)?)([!~]?)=(.*)", re.DOTALL)


def add_organization(parser: CommandParser) -> None:
    """--organization."""
    parser.add_argument("--organization", metavar="SLUG", help="default: the default one")


def add_conditions(parser: CommandParser) -> None:
    """--filter, repeatable."""
    parser.add_argument(
        "--filter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="model=x, model!=x or model~=x; may be repeated",
    )


def organization_of(options: Mapping[str, Any]) -> Organization:
    """The organization that the options name. Raises CommandError with exit code 2."""
    slug = options["organization"]
    if not slug:
        return default_organization()
    try:
        return Organization.objects.get(slug=slug)
    except Organization.DoesNotExist:
        raise CommandError(f"no organization {slug!r}", returncode=2) from None


def filter_of(options: Mapping[str, Any], organization: Organization, now: datetime) -> UsageFilter:
    """The filter that the options mean. Raises CommandError with exit code 2 for a wrong one."""
    params: dict[str, list[str]] = defaultdict(list)
    for name in _WORDS:
        if options.get(name):
            params[name].append(options[name])
    for text in options["filter"]:
        condition = _CONDITION.fullmatch(text)
        if condition is None:
            raise CommandError(f"--filter {text!r}: expected NAME=VALUE", returncode=2)
        name, mark, value = condition.groups()
        params[name + mark].append(value)
    try:
        return usage_filter(params, organization, now)
    except FilterError as error:
        raise CommandError(f"{error.code}: {error.reason}", returncode=2) from error
