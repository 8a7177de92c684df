"""Template tags and filters of the pages: numbers with their exact value in the title, and icons.

Built into every template by settings.TEMPLATES; they format and never compute.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from django import template
from django.conf import settings
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from accounting.domain import money as domain_money
from accounting.domain.money import plain
from accounting.domain.periods import next_month
from accounting.web import formatting

register = template.Library()
ICONS = Path(settings.BASE_DIR("static/vendor/lucide"))


@register.simple_tag
def tokens(count: int | None) -> SafeString | str:
    """A compact count, exact in its title."""
    if count is None:
        return formatting.UNKNOWN
    return format_html(
        '<data value="{}" title="{}">{}</data>',
        count,
        formatting.exact(count),
        formatting.tokens(count),
    )


@register.simple_tag
def money(amount: Decimal | None, currency: str = "") -> SafeString | str:
    """A readable amount, exact in its title, its currency a little quieter."""
    if amount is None:
        return formatting.UNKNOWN
    return format_html(
        '<data class="money" value="{}" title="{} {}">{}<span class="unit"> {}</span></data>',
        plain(amount),
        formatting.exact(amount),
        currency,
        formatting.money(amount),
        currency,
    )


@register.filter
def compact(count: int | None) -> str:
    """A compact count where a sentence is put together."""
    return formatting.tokens(count)


@register.filter
def credits(amount: Decimal | None) -> str:
    """An amount of credits, which has no currency."""
    return formatting.money(amount)


@register.filter
def from_picos(amount: int | None) -> Decimal | None:
    """An amount as rating computes it, as the Decimal that pages show."""
    return None if amount is None else domain_money.from_picos(amount)


@register.filter
def percent(share: formatting.Real | None) -> str:
    """A share of 1 as a percentage."""
    return formatting.percent(share)


@register.filter
def ratio(value: formatting.Real | None) -> str:
    """Input per output."""
    return formatting.ratio(value)


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


@register.simple_tag
def icon(name: str) -> SafeString:
    """A vendored icon, drawn in the text's colour and silent to screen readers."""
    return _icon(name)


@cache
def _icon(name: str) -> SafeString:
    drawing = (ICONS / f"{name}.svg").read_text(encoding="utf-8")
    inner = drawing[drawing.index(">", drawing.index("<svg")) + 1 : drawing.rindex("</svg>")]
    # The file is ours; nothing a person typed reaches it.
    return mark_safe(  # noqa: S308
        '<svg class="icon" viewBox="0 0 24 24" width="18" height="18" fill="none" '
        'stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" '
        f'aria-hidden="true" focusable="false">{" ".join(inner.split())}</svg>'
    )
