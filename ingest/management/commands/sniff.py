"""manage.py sniff: which log format each file is, and how one can tell."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ingest.formats.base import UnreadableError
from ingest.formats.compression import opened
from ingest.formats.detection import detect
from ingest.services.inputs import LogFile, files_of
from ingest.services.streams import Peeked


class Command(BaseCommand):
    """Looks at the first bytes of each file and reads nothing into the books."""

    help = "Tell which log format files are; exit 1 when one is of none."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Paths of files, or of folders whose files are all looked at."""
        parser.add_argument("paths", nargs="+", metavar="PATH")
        parser.add_argument("--json", action="store_true", help="one JSON object per file")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print one line for each file; exit 1 when a file is of no known format."""
        unknown = 0
        for path in options["paths"]:
            for seen in _seen(path):
                unknown += seen["format"] is None
                self.stdout.write(json.dumps(seen) if options["json"] else _line(seen))
        if unknown:
            message = f"{unknown} of no known format"
            raise CommandError(message, returncode=1)


def _seen(path: str) -> list[dict[str, Any]]:
    try:
        files = files_of(Path(path))
    except UnreadableError as error:
        return [_unknown(path, error)]
    return [_detected(path, file) for file in files]


def _detected(path: str, file: LogFile) -> dict[str, Any]:
    shown = f"{path.rstrip('/')}/{file.inside}" if file.inside else path
    try:
        with file.path.open("rb") as stream:
            found = detect(Peeked(opened(stream)).head, file.name)
    except UnreadableError as error:
        return _unknown(shown, error)
    except OSError as error:
        return _unknown(shown, UnreadableError("not_readable", error.strerror or "not readable"))
    return {
        "path": shown,
        "format": found.format.name,
        "confidence": found.confidence,
        "reason": found.reason,
    }


def _unknown(path: str, error: UnreadableError) -> dict[str, Any]:
    reason = f"{error.code}: {error.reason}"
    return {"path": path, "format": None, "confidence": 0, "reason": reason}


def _line(seen: dict[str, Any]) -> str:
    return f"{seen['path']}: {seen['format'] or 'unknown'} ({seen['reason']})"
