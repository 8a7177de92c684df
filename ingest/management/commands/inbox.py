"""manage.py inbox: what waits to be read, what could not be, and what is to become of that."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounting.models import Organization
from ingest.services import circuit
from ingest.services.inbox import (
    InboxState,
    NotSetAsideError,
    SetAside,
    discard,
    inbox_state,
    retry,
    set_aside_chunks,
)


class Command(BaseCommand):
    """Lists chunks that were set aside, has them read again or drops them; lets reading go on."""

    help = (
        "list: what waits and what was set aside. retry: read set-aside parts again."
        " discard: drop their bytes for good. resume: read on after reading has stopped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """What to do, and with which chunks."""
        parser.add_argument("action", choices=["list", "retry", "discard", "resume"])
        parser.add_argument("chunks", nargs="*", type=int, metavar="CHUNK")
        parser.add_argument("--all", action="store_true", help="every chunk that was set aside")
        parser.add_argument("--organization", metavar="SLUG", help="only of this one; default: all")
        parser.add_argument("--json", action="store_true", help="one JSON object per line")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Do it, then print the state of the inbox; exit 1 when a chunk was not set aside."""
        organization_id = _organization_id(options["organization"])
        action = options["action"]
        if action == "list":
            for one in set_aside_chunks(organization_id):
                self.stdout.write(json.dumps(asdict(one)) if options["json"] else _line(one))
        elif action == "resume":
            circuit.resume()
        else:
            self._change(action, organization_id, options)
        state = inbox_state(organization_id)
        values = json.dumps(asdict(state), default=str)
        self.stdout.write(values if options["json"] else _state_line(state))

    def _change(self, action: str, organization_id: int | None, options: dict[str, Any]) -> None:
        chunk_ids = None if options["all"] else options["chunks"]
        if bool(options["chunks"]) == options["all"]:
            raise CommandError(f"{action}: name chunks, or say --all", returncode=2)
        change = retry if action == "retry" else discard
        try:
            ids = change(organization_id=organization_id, chunk_ids=chunk_ids)
        except NotSetAsideError as error:
            raise CommandError(str(error), returncode=1) from error
        self.stderr.write(f"{action}: {len(ids)} chunks")


def _organization_id(slug: str | None) -> int | None:
    if not slug:
        return None
    found = Organization.objects.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"no organization {slug!r}", returncode=2)
    return found.pk


def _line(one: SetAside) -> str:
    return (
        f"chunk {one.chunk_id}: import {one.import_id} {one.name}, part {one.number}, from line"
        f" {one.first_line:,}, {one.size:,} bytes, {one.attempts} attempts: {one.reason}"
    )


def _state_line(state: InboxState) -> str:
    stopped = ""
    if state.stopped_at:
        stopped = (
            f"; reading has stopped at {state.stopped_at:%Y-%m-%d %H:%M:%S} UTC after"
            f" {state.set_aside_in_a_row} failures in a row: mend the reader, then"
            " manage.py inbox resume"
        )
    return (
        f"{state.waiting:,} chunks wait ({state.waiting_bytes:,} bytes),"
        f" {state.set_aside:,} were set aside{stopped}"
    )
