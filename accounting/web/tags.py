"""Template tags and filters of the pages: numbers with their exact value in the title, and icons.

Built into every template by settings.TEMPLATES; they format and never compute.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.http import QueryDict
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounting.domain.periods import next_month
from accounting.services import demo
from accounting.web import formatting
from accounting.web.asking import PLACES
from accounting.web.icons import icon
from accounting.web.kept_words import in_words
from accounting.web.rate_words import doubt
from accounting.web.words import dimension, member

register = template.Library()
register.simple_tag(icon)
register.filter(in_words)
register.filter(doubt)
register.filter(dimension)
register.filter(member)


@register.simple_tag
def mark(western: str) -> str:
    """A mark between two texts as the language writes it, with the space it takes."""
    return formatting.mark(western)


@register.simple_tag
def tokens(count: int | None) -> SafeString | str:
    """A compact count, exact in its title."""
    return _count(count, formatting.tokens(count))


@register.simple_tag
def figure(count: int | None) -> SafeString | str:
    """A count in a tile: every digit while it is short, exact in its title."""
    return _count(count, formatting.figure(count))


@register.simple_tag(takes_context=True)
def exclude(context: Mapping[str, Any], condition: tuple[str, str]) -> str:
    """The page's address with one condition more, as (parameter, value)."""
    query: QueryDict = context["request"].GET.copy()
    for place in PLACES:
        query.pop(place, None)
    name, value = condition
    if value not in query.getlist(name):
        query.appendlist(name, value)
    return "?" + query.urlencode()


@register.filter
def compact(count: int | None) -> str:
    """A compact count where a sentence is put together."""
    return formatting.tokens(count)


@register.filter
def percent(share: formatting.Real | None) -> str:
    """A share of 1 as a percentage."""
    return formatting.percent(share)


@register.filter
def whole_percent(hundredths: int) -> str:
    """So many percent."""
    return formatting.whole_percent(hundredths)


@register.filter
def ratio(value: formatting.Real | None) -> str:
    """Input per output."""
    return formatting.ratio(value)


@register.filter
def times(value: formatting.Real | None) -> str:
    """How many times something happened to one thing: 3.2×."""
    return formatting.times(value)


@register.filter
def signed_points(share: formatting.Real) -> str:
    """A difference of shares with its sign: +3.1 pp."""
    text = formatting.points(share)
    return f"+{text}" if share > 0 else text


@register.filter
def only(name: str, value: str) -> dict[str, str | None]:
    """What an address gets to show one value of a dimension alone, from its first page."""
    return {name: value, "after": None, "page": None}


@register.filter
def pair(name: str, value: str) -> tuple[str, str]:
    """A parameter and its value, for the tag exclude."""
    return name, value


@register.filter
def exact(value: int | Decimal | None) -> str:
    """Every digit, thousands separated."""
    return formatting.exact(value)


@register.filter
def unit_price(value: Decimal | None) -> str:
    """A price with the digits it was entered with."""
    return formatting.unit_price(value)


@register.filter
def file_name(path: str) -> str:
    """The last part of a path, which is what people call the file."""
    return path.rstrip("/").rpartition("/")[2] or path


@register.filter
def import_name(name: str) -> str:
    """What an import is called: the last part of its path, and the sample in the reader's language."""
    return _("Sample data") if name == demo.NAME else file_name(name)


@register.filter
def file_size(number: int) -> str:
    """Bytes as a person says them."""
    return formatting.size(number)


@register.filter
def moment(at: datetime | None) -> SafeString | str:
    """An instant in the organization's zone, which the view activated."""
    if at is None:
        return formatting.UNKNOWN
    zone = ZoneInfo(timezone.get_current_timezone_name())
    return format_html('<time datetime="{}">{}</time>', at.isoformat(), formatting.moment(at, zone))


@register.filter
def moment_s(at: datetime) -> SafeString | str:
    """An instant to the second, where several lie in one minute."""
    zone = ZoneInfo(timezone.get_current_timezone_name())
    text = formatting.moment_s(at, zone)
    return format_html('<time datetime="{}">{}</time>', at.isoformat(), text)


@register.filter
def month(value: date) -> str:
    """A calendar month."""
    return formatting.month(value)


@register.filter
def month_named(text: str) -> str:
    """A month as a run's lines name it, 2026-11, as people do."""
    return formatting.month(date.fromisoformat(f"{text}-01"))


@register.filter
def month_days(value: date) -> str:
    """A month as the days of an address: from=2026-11-01&to=2026-12-01."""
    return f"from={value.isoformat()}&to={next_month(value).isoformat()}"


@register.filter
def hex(key: bytes) -> str:
    """An event's key as its address has it."""
    return bytes(key).hex()


@register.filter
def day(value: date | None) -> str:
    """A calendar day."""
    return formatting.day(value)


@register.filter
def local_day(at: datetime) -> str:
    """The organization's day in which an instant lies."""
    return formatting.day(timezone.localtime(at).date())


@register.filter
def price_start(at: datetime | None) -> SafeString | str:
    """When a price begins or ends: a day where it does so at midnight, of our zone or of UTC."""
    if at is None:
        return formatting.UNKNOWN
    midnights = (timezone.localtime(at), at.astimezone(UTC))
    found = next((one for one in midnights if one.time() == time()), None)
    return formatting.day(found.date()) if found else moment(at)


@register.filter
def day_before(at: datetime) -> str:
    """The last day before an instant: that of a span which ends there."""
    return formatting.day((timezone.localtime(at) - timedelta(microseconds=1)).date())


@register.filter
def duration(span: timedelta) -> str:
    """A span of time."""
    return formatting.duration(span)


@register.filter
def at(values: Mapping[str, object], key: str) -> object:
    """The value a mapping holds under a key; None without one."""
    return values.get(key)


def _count(count: int | None, text: str) -> SafeString | str:
    if count is None:
        return text
    return format_html(
        '<data value="{}" title="{}">{}</data>', count, formatting.exact(count), text
    )
