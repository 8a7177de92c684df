"""manage.py watch: folders whose logs are read as they grow."""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ingest.management.senders import add_sender, organization_of, sender_of
from ingest.services.watching import Look, look
from ingest.services.watching_folders import (
    NotWatchableError,
    Watched,
    add_folder,
    read_again,
    remove_folder,
    watched_folders,
)
from ingest.services.watching_rows import SETTLED

#: `watch now` goes on until all is read.
NOW_S = 24 * 60 * 60.0


class Command(BaseCommand):
    """Five actions on watched folders; docs/sending.md says what is followed and how."""

    help = (
        "Follow the logs of a folder: the workers look every few seconds and read only what is new."
        " Folders are looked at where the workers run, so their paths are those of that host."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """One sub-command for each action."""
        actions = parser.add_subparsers(dest="action", required=True)
        adding = actions.add_parser("add", help="watch a folder, with what lies in it already")
        adding.add_argument("folder", metavar="FOLDER")
        adding.add_argument("--only", default="", metavar="PATTERN", help="of names, as '*.jsonl'")
        add_sender(adding)
        listing = actions.add_parser(
            "list", help="the folders, and files that are not read and why"
        )
        now = actions.add_parser("now", help="look now, in this process, until all is read")
        now.add_argument("folders", nargs="*", metavar="FOLDER", help="default: all")
        again = actions.add_parser("again", help="read files again from their beginnings")
        again.add_argument("folder", metavar="FOLDER")
        again.add_argument(
            "files", nargs="*", metavar="FILE", help="inside the folder; default: all"
        )
        removing = actions.add_parser("remove", help="watch no longer; what was counted stays")
        removing.add_argument("folder", metavar="FOLDER")
        for action in (listing, now, again, removing):
            action.add_argument("--organization", metavar="SLUG", help="whose; default: default")
        for action in (adding, listing, now, again, removing):
            action.add_argument("--json", action="store_true", help="one JSON object a line")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Do what was asked for; exit 1 where it was refused."""
        try:
            for told, text in getattr(self, f"_{options['action']}")(options):
                as_json = options["json"]
                self.stdout.write(json.dumps(told, default=str) if as_json else text)
        except NotWatchableError as error:
            raise CommandError(f"{error.code}: {error}", returncode=1) from error

    def _add(self, options: dict[str, Any]) -> Iterator[tuple[object, str]]:
        folder = add_folder(options["folder"], sender=sender_of(options), only=options["only"])
        yield {"folder": folder.path, "state": "watched"}, f"watched: {folder.path}"

    def _list(self, options: dict[str, Any]) -> Iterator[tuple[object, str]]:
        slug = options["organization"]
        for one in watched_folders(organization_of(slug).pk if slug else None):
            yield _written(one), _text(one)

    def _now(self, options: dict[str, Any]) -> Iterator[tuple[object, str]]:
        known = watched_folders(organization_of(options["organization"]).pk)
        wanted = {_path(folder) for folder in options["folders"]}
        missing = sorted(wanted - {one.path for one in known})
        if missing:
            raise NotWatchableError("not_watched", f"{missing[0]} is not watched")
        ids = [one.folder_id for one in known if not wanted or one.path in wanted]
        is_bad, is_second = False, False
        while ids:
            looks = look(seconds=NOW_S, folder_ids=ids)
            for one in looks:
                is_bad |= bool(one.code)
                yield one.as_json(), _looked(one)
            is_bad |= len(looks) < len(ids)  # a worker looks there at this moment
            early = [one.folder_id for one in looks if one.counts["early"] and not is_second]
            ids = [one.folder_id for one in looks if not one.is_through] or early
            if ids == early:
                is_second = True
                time.sleep(SETTLED.total_seconds())
        if is_bad:
            raise CommandError("not every folder could be looked at", returncode=1)

    def _again(self, options: dict[str, Any]) -> Iterator[tuple[object, str]]:
        organization_id = organization_of(options["organization"]).pk
        folder, files = options["folder"], options["files"]
        count = read_again(folder, organization_id=organization_id, files=files)
        yield {"folder": _path(folder), "files": count}, f"to be read again: {count:,} files"

    def _remove(self, options: dict[str, Any]) -> Iterator[tuple[object, str]]:
        folder = options["folder"]
        remove_folder(folder, organization_id=organization_of(options["organization"]).pk)
        yield {"folder": _path(folder), "state": "removed"}, f"no longer watched: {_path(folder)}"


def _path(folder: str) -> str:
    return str(Path(folder).absolute())


def _written(one: Watched) -> dict[str, object]:
    told = asdict(one)
    del told["folder_id"]
    return {
        "folder": told.pop("path"),
        **told,
        "code": one.code or None,
        "reason": one.reason or None,
    }


def _text(one: Watched) -> str:
    seen = f"{one.looked_at:%Y-%m-%d %H:%M:%S} UTC" if one.looked_at else "never"
    only = f", only {one.only}" if one.only else ""
    lines = [f"{one.path}: {one.organization}, {one.files:,} files{only}, last looked at: {seen}"]
    if one.code:
        lines.append(f"  {one.code}: {one.reason}")
    for file in one.unread:
        waits = f"{file.waiting:,} bytes wait for the end of their line"
        why = f"{file.code}: {file.reason}" if file.code else waits
        lines.append(f"  {file.inside}: {why}")
    return "\n".join(lines)


def _looked(one: Look) -> str:
    if one.code and not one.counts:
        return f"{one.path}: {one.code}: {one.reason}"
    counts = one.counts
    rest = "" if one.is_through else "; there is more"
    return (
        f"{one.path}: {counts['files']:,} files with news, {counts['bytes']:,} bytes,"
        f" {counts['recorded']:,} requests recorded, {counts['duplicates']:,} known,"
        f" {counts['rejected']:,} lines rejected{rest}"
    )
