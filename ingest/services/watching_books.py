"""What was read of a watched folder on its way into the books: its import, its batch, how far it was.

All of it stands in one transaction, of some megabytes: a worker that is killed costs nothing but
the time it took.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

import msgspec
from django.db import transaction
from django.utils import timezone

from accounting.models import Import
from accounting.models.imports import LINE_COUNTERS
from accounting.services.posting import ensure_months
from accounting.services.statistics import after_import
from ingest.formats.base import Format, Scope, State
from ingest.models import WatchedFile, WatchedFolder
from ingest.services.attribution import attribution_of
from ingest.services.booking import book, is_enough, readable, retried
from ingest.services.outcomes import Outcomes, Reader
from ingest.services.watching_rows import BEGINNING

DOOR = "watch"


class ReadAgainError(Exception):
    """What was read and not saved is void: it must be read again from what is saved."""


@dataclass(slots=True, kw_only=True)
class FolderBooks:
    """One look at a folder, from the side of the books; its lease is held.

    counts: bytes that were read, and what became of lines. waiting_bytes: read and not booked yet.
    """

    folder: WatchedFolder
    now: datetime
    counts: Counter[str] = field(default_factory=Counter)
    outcomes: Outcomes = field(default_factory=Outcomes)
    waiting_bytes: int = 0
    _rows: dict[int, WatchedFile] = field(default_factory=dict)
    _states: dict[str, State] = field(default_factory=dict)
    _source: Import | None = None
    _reader: Reader | None = None

    def reader(self) -> Reader:
        """Reads records as this look's import tells whose they are."""
        if self._reader is None:
            attribution = attribution_of(self._import())
            self._reader = Reader(attribution=attribution, now=self.now, is_push=False)
        return self._reader

    def note(self, row: WatchedFile) -> None:
        """Have a file's row saved with the next booking."""
        self._rows[row.pk] = row

    def state(self, known: Format, row: WatchedFile) -> State:
        """What this format's reader carries on: from record to record of a file, or of the folder."""
        state = known.new_state()
        saved = b""
        if known.scope is Scope.FILE:
            saved = bytes(row.reader_state)
        elif known.scope is Scope.INPUT:
            if known.name in self._states:
                return self._states[known.name]
            saved = kept_states(self.folder).get(known.name, b"")
        if saved:
            state = msgspec.msgpack.decode(saved, type=type(state))
        if known.scope is Scope.INPUT:
            self._states[known.name] = state
        return state

    def forget_input(self, known: Format) -> None:
        """Have all files of a format that is read across files begin anew; then ReadAgainError."""
        kept = kept_states(self.folder)
        kept.pop(known.name, None)
        with transaction.atomic():
            self._keep_states(kept)
            self.folder.files.filter(format=known.name).update(**BEGINNING)
        raise ReadAgainError(f"{known.name} is read anew")

    @property
    def is_enough(self) -> bool:
        """Whether what was read is to be booked before more is."""
        return is_enough(self.waiting_bytes, self.outcomes)

    def drop(self) -> None:
        """Forget what was read and not booked."""
        self.outcomes, self.waiting_bytes = Outcomes(), 0
        self._rows, self._states = {}, {}

    def book(self) -> None:
        """Post what was read, and save with it how far that was. Raises ReadAgainError."""
        outcomes, rows, size = self.outcomes, list(self._rows.values()), self.waiting_bytes
        self.outcomes, self.waiting_bytes, self._rows = Outcomes(), 0, {}
        if not (outcomes.tellings or outcomes.reports or outcomes.refused or outcomes.skipped):
            with transaction.atomic():
                self._save(rows)
            return
        ensure_months(outcomes.moments())
        before = self._import()
        after = retried(lambda: self._booked(before.pk, outcomes, rows, size))
        for name in LINE_COUNTERS:
            self.counts[name] += getattr(after, name) - getattr(before, name)
        self.counts["bytes"] += size
        self._source = after
        after_import(after.recorded - before.recorded)

    def _booked(
        self, import_id: int, outcomes: Outcomes, rows: list[WatchedFile], size: int
    ) -> Import:
        source = book(
            organization_id=self.folder.organization_id, import_id=import_id, outcomes=outcomes
        )
        if source.state != "done":
            raise ReadAgainError(f"import {source.pk} was undone meanwhile")
        formats = {*source.options["formats"], *(row.format for row in rows if row.format)}
        source.options["formats"] = sorted(formats)
        source.format = next(iter(formats)) if len(formats) == 1 else ""
        source.reason = readable(", ".join(sorted(formats)), 400)
        source.size += size
        source.finished_at = timezone.now()
        source.save(update_fields=["options", "format", "reason", "size", "finished_at"])
        self._save(rows)
        return source

    def _save(self, rows: list[WatchedFile]) -> None:
        for row in rows:
            row.read_at, row.attempts = self.now, 0
        known = WatchedFile.objects.of(self.folder.organization_id)
        known.bulk_update(rows, [*BEGINNING, "read_at"], batch_size=500)
        if self._states:
            packed = {name: msgspec.msgpack.encode(one) for name, one in self._states.items()}
            self._keep_states({**kept_states(self.folder), **packed})

    def _import(self) -> Import:
        """The import of this folder and this day, in UTC; another one where that was undone."""
        if self._source is None:
            day = self.now.replace(hour=0, minute=0, second=0, microsecond=0)
            of_today = Import.objects.of(self.folder.organization_id).filter(
                door=DOOR, state="done", options__watched=self.folder.pk, received_at__gte=day
            )
            self._source = of_today.order_by("-pk").first() or Import.objects.create(
                organization_id=self.folder.organization_id,
                project_id=self.folder.project_id,
                door=DOOR,
                name=self.folder.path[-255:],
                state="done",
                finished_at=self.now,
                options={
                    **self.folder.options,
                    "watched": self.folder.pk,
                    "path": self.folder.path,
                    "formats": [],
                },
            )
        return self._source

    def _keep_states(self, states: dict[str, bytes]) -> None:
        self.folder.states = packed_states(states)
        self.folder.save(update_fields=["states"])


def kept_states(folder: WatchedFolder) -> dict[str, bytes]:
    """What readers carry from file to file, by format, packed."""
    kept = bytes(folder.states)
    return msgspec.msgpack.decode(kept, type=dict[str, bytes]) if kept else {}


def packed_states(states: dict[str, bytes]) -> bytes:
    """The same as the folder's row keeps it."""
    return msgspec.msgpack.encode(states) if states else b""
