"""The time zone in which an answer writes moments."""

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from accounting.api.pagination import single
from accounting.models import Organization
from accounting.queries.grammar import ZONE
from accounting.queries.zones import zone_of


def shown_zone(params: Mapping[str, Sequence[str]], organization: Organization) -> ZoneInfo:
    """The zone that tz names, else the organization's. Raises FilterError for none."""
    return zone_of(single(params, ZONE), ZoneInfo(organization.time_zone))
