"""What a person or program adds to an import: checked texts in, a format's Options out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounting.domain.errors import DomainError
from accounting.domain.periods import checked_moment
from accounting.domain.tokens import COUNT_LIMIT
from ingest.formats.base import Options

TEXT_CHOICES = ("provider", "model", "run", "user_id")
CHOICES = (*TEXT_CHOICES, "started_at", "input_tokens", "counts_as_usage")
_TEXT_LIMIT = 200


class BadChoiceError(DomainError):
    """An option has no known name, or a value that cannot be right."""

    code = "bad_option"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """Options of one import; used only where the source is silent."""

    provider: str = ""
    model: str = ""
    run: str = ""
    user_id: str = ""
    started_at: datetime | None = None
    input_tokens: int | None = None
    counts_as_usage: bool = False

    def options(self, *, otherwise_at: datetime, file_name: str = "") -> Options:
        """These choices for one file.

        otherwise_at: stands in for a missing time unless started_at was chosen.
        file_name: names the run of a benchmark file unless one was chosen.
        """
        return Options(
            assumed_time=self.started_at or otherwise_at,
            provider=self.provider,
            model=self.model,
            run=self.run or file_name,
            input_tokens=self.input_tokens,
            user_id=self.user_id,
            counts_as_usage=self.counts_as_usage,
        )

    def as_json(self) -> dict[str, Any]:
        """What was chosen, as Import.options keeps it."""
        chosen = {name: getattr(self, name) for name in CHOICES if getattr(self, name)}
        if self.started_at is not None:
            chosen["started_at"] = self.started_at.isoformat()
        if self.input_tokens is not None:
            chosen["input_tokens"] = self.input_tokens
        return chosen


def choices_from(texts: Mapping[str, Any]) -> Choices:
    """Choices from texts by name (`--set`, query parameters, Import.options); '' is not chosen.

    Raises BadChoiceError naming the first one that is wrong; unknown names are wrong too.
    """
    found: dict[str, Any] = {}
    for name, value in texts.items():
        if name not in CHOICES:
            raise BadChoiceError(
                f"no option is named {name[:80]!r}; there are {', '.join(CHOICES)}"
            )
        if value is not None and value != "":
            found[name] = _value(name, str(value))
    return Choices(**found)


def choices_kept(options: Mapping[str, Any]) -> Choices:
    """The choices among Import.options."""
    return choices_from({name: options[name] for name in CHOICES if name in options})


def _value(name: str, text: str) -> object:
    match name:
        case "started_at":
            return _moment(text)
        case "input_tokens":
            if not (text.isascii() and text.isdecimal() and int(text[:20]) < COUNT_LIMIT):
                raise BadChoiceError(f"input_tokens = {text[:40]}, expected 0 to {COUNT_LIMIT - 1}")
            return int(text)
        case "counts_as_usage":
            if text.lower() not in {"true", "false"}:
                raise BadChoiceError(f"counts_as_usage = {text[:40]}, expected true or false")
            return text.lower() == "true"
        case _:
            if "\0" in text:
                raise BadChoiceError(f"{name} holds a NUL character")
            if len(text) > _TEXT_LIMIT:
                raise BadChoiceError(f"{name} is longer than {_TEXT_LIMIT} characters")
            return text


def _moment(text: str) -> datetime:
    try:
        return checked_moment(datetime.fromisoformat(text))
    except ValueError as error:  # BadMomentError is one
        reason = f"started_at = {text[:40]}, expected ISO 8601 with an offset: {error}"
        raise BadChoiceError(reason) from error
