"""Reads small pushes together: their records are posted in one transaction, as if they were one.

A hundred pushes of a few lines each cost a hundred commits and locks one by one, and few together.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from accounting.domain.naming import dedupe_key
from accounting.services.posting import ensure_months
from ingest.models import InboxChunk
from ingest.services import circuit
from ingest.services.attempts import attempting, give_back
from ingest.services.booking import book_together, retried
from ingest.services.chunks import ReadChunk, mark_done, read, still_ready
from ingest.services.collecting import uncollected
from ingest.services.leases import Lease, leases
from ingest.services.points import passing
from ingest.services.quarantine import finish, is_its_own, note_failure

SMALL_BYTES = 256 * 1024
TOGETHER_BYTES = 4 * 1024 * 1024
TOGETHER_CHUNKS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A chunk that could be read now. is_whole_push: a push of records that stand for themselves."""

    chunk_id: int
    organization_id: int
    import_id: int
    size: int
    attempts: int
    is_whole_push: bool

    @property
    def is_small(self) -> bool:
        """Whether it may be read with others; one that failed before is read alone."""
        return self.is_whole_push and self.attempts == 0 and self.size <= SMALL_BYTES


def turns(waiting: Iterable[Waiting]) -> Iterator[list[int]]:
    """The chunks in their order, in groups that are read at once; most of them alone."""
    for (_, is_small), found in groupby(waiting, lambda one: (one.organization_id, one.is_small)):
        if is_small:
            yield from _groups(found)
        else:
            yield from ([one.chunk_id] for one in found)


def read_together(chunk_ids: Sequence[int]) -> list[int]:
    """Read small pushes of one organization at once; those of them that must be read alone.

    What one of them breaks down at is charged to it alone. Where posting breaks down nobody knows whose
    fault it is: nobody is charged, and each is read alone. Only errors of the database are raised.
    """
    with leases(Lease.CHUNK, chunk_ids) as mine, attempting(mine) as begun, uncollected():
        found, alone = _with_and_without_reports(_read_each(begun))
        ensure_months([at for one in found for at in one.outcomes.moments()])
        for one_round in _rounds(found):
            try:
                retried(partial(_book, one_round))
            except Exception as error:
                if not is_its_own(error):
                    raise
                alone += one_round
            else:
                passing("read.committed")
        left = [one.chunk.pk for one in alone]
        give_back(left)
    return left


def _groups(found: Iterable[Waiting]) -> Iterator[list[int]]:
    group: list[int] = []
    imports: set[int] = set()
    size = 0
    for one in found:
        is_full = len(group) == TOGETHER_CHUNKS or size + one.size > TOGETHER_BYTES
        if group and (is_full or one.import_id in imports):
            yield group
            group, imports, size = [], set(), 0
        group.append(one.chunk_id)
        imports.add(one.import_id)
        size += one.size
    if group:
        yield group


def _read_each(begun: list[InboxChunk]) -> Iterator[ReadChunk]:
    for chunk in list(begun):
        try:
            yield read(chunk)
        except Exception as error:
            if not is_its_own(error):
                raise
            note_failure(chunk.pk, error)
            begun.remove(chunk)


def _with_and_without_reports(
    chunks: Iterable[ReadChunk],
) -> tuple[list[ReadChunk], list[ReadChunk]]:
    """Those that can be posted together, and those with reports, which have locks of their own."""
    found: list[ReadChunk] = []
    alone: list[ReadChunk] = []
    for one in chunks:
        (alone if one.outcomes.reports else found).append(one)
    return found, alone


def _rounds(chunks: Iterable[ReadChunk]) -> list[list[ReadChunk]]:
    """Chunks in groups of which no two bring the same record; each group is one transaction.

    A record that another one brings too must meet it in the books, where it is seen who told what.
    """
    rounds: list[list[ReadChunk]] = []
    taken: list[set[bytes]] = []
    for one in chunks:
        keys = {
            dedupe_key(one.chunk.organization_id, record.identity)
            for telling in one.outcomes.tellings
            for record in telling.records
        }
        fitting = next((n for n, known in enumerate(taken) if known.isdisjoint(keys)), len(rounds))
        if fitting == len(rounds):
            rounds.append([])
            taken.append(set())
        rounds[fitting].append(one)
        taken[fitting] |= keys
    return rounds


def _book(found: Sequence[ReadChunk]) -> None:
    ready = still_ready([one.chunk.pk for one in found])
    held = [one for one in found if one.chunk.pk in ready]
    if not held:
        return
    outcomes = {one.chunk.source_import_id: one.outcomes for one in held}
    sources = book_together(organization_id=held[0].chunk.organization_id, outcomes=outcomes)
    passing("read.booked")
    for one in held:
        mark_done(one)
    for source in sources:
        finish(source)
    circuit.note_read()
    passing("read.committing")
