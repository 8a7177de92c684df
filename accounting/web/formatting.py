"""How numbers, money and moments read on a page; exact values travel beside them in titles.

Amounts arrive as Decimal and are rounded here only, for a person's eye.
"""

from collections.abc import Iterable
from contextvars import ContextVar
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import cache, lru_cache
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_date, format_datetime, format_time
from django.utils.translation import get_language, to_locale

from accounting.domain.money import plain

UNKNOWN = "–"
MINUS = "−"
LETTERS = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "K"))
MYRIADS = ((10**12, "万亿"), (10**8, "亿"), (10**4, "万"))
#: Chinese marks bring their own space.
WIDE = {", ": "，", "; ": "；", ": ": "：", ".": "。", ". ": "。", " ": "", " (": "（", ")": "）"}
#: How large numbers are shortened here: 'letters', 'myriads', else as is usual in the language.
counting: ContextVar[str] = ContextVar("counting", default="")
#: From here on a figure that stands in a tile is shortened.
MILLION = 10**6
#: A ratio, a percentage or a share may come as any of these; money only ever as Decimal.
type Real = int | Decimal | Fraction


def exact(value: int | Decimal | None) -> str:
    """A number with all its digits, thousands separated: 1,234,567."""
    if value is None:
        return UNKNOWN
    text = f"{value.copy_abs():,f}" if isinstance(value, Decimal) else f"{abs(value):,}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return _signed(text, negative=value < 0)


def tokens(count: int | None) -> str:
    """A count with three significant digits: 999, 1.23K, 80.7K, 1.00M; in Chinese 8.07万, 1,235万."""
    if count is None:
        return UNKNOWN
    for power, letter in _powers():
        scaled = Decimal(abs(count)) / power
        # A myriad may have four digits before the point, and none of them is rounded away.
        shown = (
            _significant(scaled, 3) if scaled < 1000 else scaled.quantize(Decimal(1), ROUND_HALF_UP)
        )
        if shown >= 1:
            return _signed(f"{shown:,f}{letter}", negative=count < 0)
    return exact(count)


def figure(count: int | None) -> str:
    """A count with every digit as long as it is short, 999,999, and from a million on as tokens."""
    return exact(count) if count is None or abs(count) < MILLION else tokens(count)


def money(amount: Decimal | None, currency: str = "", decimals: int | None = None) -> str:
    """An amount a person can read, with its currency: 1,234.56 USD, 0.1922 USD, 0.0000005 CNY.

    From 1 on two decimals; below 1 four significant digits, and never 0.00 for what is not zero.
    What needs more than two decimals has at least four, so that columns stand in line.
    decimals: how many instead, as web.alike has them for a column: 0.1922, 12.3400, <0.0001.
    """
    if amount is None:
        return UNKNOWN
    size = abs(amount)
    text = _money(size) if decimals is None else _with_decimals(size, decimals)
    text = _signed(text, negative=amount < 0)
    return f"{text} {currency}" if currency else text


def short_money(amount: Decimal | None, currency: str = "") -> str:
    """An amount where there is little room: as money, but four digits of what is a million or more."""
    if amount is None or abs(amount) < MILLION:
        return money(amount, currency)
    scaled = ((_significant(abs(amount) / power, 4), letter) for power, letter in _powers())
    value, letter = next((value, letter) for value, letter in scaled if value >= 1)
    text = _signed(f"{value:,f}{letter}", negative=amount < 0)
    return f"{text} {currency}" if currency else text


def unit_price(price: Decimal | None) -> str:
    """A price with every digit it was entered with, and two decimals at least: 0.50, 0.075, 15.00."""
    if price is None:
        return UNKNOWN
    digits = plain(price)
    return digits if len(digits.partition(".")[2]) > 2 else f"{price:,.2f}"


def percent(share: Real | None) -> str:
    """A share of 1 with one decimal: 0.686 reads 68.6 %, in Chinese 68.6%."""
    if share is None:
        return UNKNOWN
    value = (decimal(share) * 100).quantize(Decimal("0.1"), ROUND_HALF_UP)
    return _signed(whole_percent(abs(value)), negative=value < 0)


def whole_percent(hundredths: Decimal | int) -> str:
    """So many percent: 10 reads 10 %, in Chinese 10%."""
    return f"{hundredths:,}%" if _language() == "zh" else f"{hundredths:,} %"


def points(share: Real | None) -> str:
    """A difference of two shares, in percentage points: 0.031 reads 3.1 pp."""
    if share is None:
        return UNKNOWN
    unit = "个百分点" if _language() == "zh" else "pp"
    return f"{percent(share).rstrip('% ')} {unit}"


def ratio(value: Real | None) -> str:
    """Input tokens per output token: 69.9 : 1, 0.35 : 1 and 12,346 : 1, with the decimals it needs."""
    if value is None:
        return UNKNOWN
    number = decimal(value)
    if number >= 1000:
        return f"{figure(int(number.quantize(Decimal(1), ROUND_HALF_UP)))} : 1"
    step = Decimal("0.1") if number >= 1 or number == 0 else Decimal("0.01")
    return f"{number.quantize(step, ROUND_HALF_UP):,f} : 1"


def times(value: Real | None) -> str:
    """How many times: 3.2×, 0.28×, 1,235×."""
    return UNKNOWN if value is None else f"{ratio(value).removesuffix(' : 1')}×"


def moment(at: datetime | None, zone: ZoneInfo) -> str:
    """Day and minute in the organization's zone: 30 Nov 2026, 14:05."""
    if at is None:
        return UNKNOWN
    pattern = "d MMM y, HH:mm" if _language() == "en" else "y年M月d日 HH:mm"
    return str(format_datetime(at, pattern, tzinfo=zone, locale=_locale()))


def moment_s(at: datetime, zone: ZoneInfo) -> str:
    """Day and second: 30 Nov 2026, 14:05:07."""
    pattern = "d MMM y, HH:mm:ss" if _language() == "en" else "y年M月d日 HH:mm:ss"
    return str(format_datetime(at, pattern, tzinfo=zone, locale=_locale()))


def clock(at: datetime, zone: ZoneInfo) -> str:
    """The minute alone: 14:05."""
    return str(format_time(at, "HH:mm", tzinfo=zone, locale=_locale()))


def day(value: date | None) -> str:
    """A calendar day: 30 Nov 2026."""
    if value is None:
        return UNKNOWN
    return _date(value, "d MMM y" if _language() == "en" else "y年M月d日", _locale())


def short_day(value: date) -> str:
    """A calendar day where the year is known: 30 Nov."""
    return _date(value, "d MMM" if _language() == "en" else "M月d日", _locale())


def month(value: date) -> str:
    """A calendar month: Nov 2026."""
    return _date(value, "MMM y" if _language() == "en" else "y年M月", _locale())


def mark(western: str) -> str:
    """A mark between two texts as the language writes it: ', ' or '，'; ' ' is that between sentences."""
    return WIDE.get(western, western) if _language() == "zh" else western


def listed(texts: Iterable[str]) -> str:
    """Texts one after the other, with the language's comma: a, b; in Chinese a，b."""
    return mark(", ").join(texts)


def size(number: int) -> str:
    """A file's size: 812 B, 3.4 MB."""
    for power, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if number >= power:
            return f"{Decimal(number) / power:.1f} {name}"
    return f"{number} B"


def duration(span: timedelta) -> str:
    """A span of time in its two largest units: 330 ms, 45 s, 3 min 20 s, 1 h 12 min, 2 d 3 h."""
    if timedelta() < span < timedelta(seconds=1):
        return milliseconds(span / timedelta(milliseconds=1))
    seconds = int(span.total_seconds())
    names = ("天", "小时", "分", "秒") if _language() == "zh" else ("d", "h", "min", "s")
    counts = (seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60, seconds % 60)
    parts = list(zip(names, counts, strict=True))
    first = next((index for index, count in enumerate(counts) if count), 3)
    shown = [f"{count} {name}" for name, count in parts[first : first + 2] if count]
    return " ".join(shown) or f"0 {names[-1]}"


def milliseconds(value: float | None) -> str:
    """A latency with three significant digits: 18.7 ms, 412 ms, 3.32 s."""
    if value is None:
        return UNKNOWN
    exact_value = Decimal(value)
    size, unit = (exact_value, "ms") if value < 1000 else (exact_value / 1000, "s")
    return f"{_significant(size, 3):f} {unit}"


def per_second(value: Real | None) -> str:
    """A speed with three significant digits: 41.3 /s, 1,230 /s."""
    if value is None:
        return UNKNOWN
    return f"{_significant(decimal(value), 3):,f} /s"


def unit_within(value: Decimal) -> tuple[int, str]:
    """The largest unit, and its name, of which a value has one or more; (1, '') where it has none."""
    return next((unit for unit in _powers() if value >= unit[0]), (1, ""))


def _powers() -> tuple[tuple[int, str], ...]:
    usual = "myriads" if _language() == "zh" else "letters"
    return MYRIADS if (counting.get() or usual) == "myriads" else LETTERS


def decimal(value: Real) -> Decimal:
    """A value as a decimal; a fraction to 28 digits."""
    if isinstance(value, Decimal):  # asked first: whether something is a fraction takes long
        return value
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / Decimal(value.denominator)
    return Decimal(value)


def _money(size: Decimal) -> str:
    small = plain(_significant(size, 4)) if size < 1 else ""
    decimals = len(small.partition(".")[2])
    return small + "0" * (4 - decimals) if decimals > 2 else f"{_cents(size):,f}"


def _with_decimals(size: Decimal, decimals: int) -> str:
    step, half = _steps(decimals)
    if 0 < size < half:
        return f"<{step:f}"
    return f"{size.quantize(step, ROUND_HALF_UP):,f}"


@cache
def _steps(decimals: int) -> tuple[Decimal, Decimal]:
    """What one of the last decimal is worth, and half of it."""
    step = Decimal(1).scaleb(-decimals)
    return step, step / 2


def _cents(value: Decimal) -> Decimal:
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


def _significant(value: Decimal, digits: int) -> Decimal:
    """Rounded to so many significant digits, keeping trailing zeros: 1.00, not 1."""
    if value == 0:
        return value
    rounded = value.quantize(Decimal(1).scaleb(value.adjusted() - digits + 1), ROUND_HALF_UP)
    # 9.996 becomes 10.00, one digit too many.
    return rounded.quantize(Decimal(1).scaleb(rounded.adjusted() - digits + 1), ROUND_HALF_UP)


def _signed(text: str, *, negative: bool) -> str:
    return f"{MINUS}{text}" if negative else text


def _language() -> str:
    return (get_language() or "en").split("-")[0]


def _locale() -> Locale:
    return _locale_of(get_language() or "en")


@cache
def _locale_of(language: str) -> Locale:
    return Locale.parse(to_locale(language))


@lru_cache(maxsize=5_000)
def _date(value: date, pattern: str, locale: Locale) -> str:
    """A page says some of its days a dozen times."""
    return str(format_date(value, pattern, locale=locale))
