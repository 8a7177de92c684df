"""What a Codex thread has told so far: running totals, and the running hash that names its requests.

Codex writes cumulative totals, writes them again when nothing happened, and copies a parent's rows
with new times into the files of its forks. The hash of all (total, last) pairs so far, begun with the
thread that the family stems from, is the same for a request and for each of its copies.
"""

from hashlib import blake2b

import msgspec

from ingest.formats.base import State
from ingest.formats.fields import Count, count

#: Input, cached input, output, reasoning output: the counts that totals are compared by.
Tokens = tuple[int, int, int, int]
NONE: Tokens = (0, 0, 0, 0)


class Usage(msgspec.Struct):
    """Tokens of one response, or of a thread so far; input includes cached, output reasoning."""

    input_tokens: Count = None
    cached_input_tokens: Count = None
    cache_write_input_tokens: Count = None
    output_tokens: Count = None
    reasoning_output_tokens: Count = None

    @property
    def tokens(self) -> Tokens:
        """The four counts; what is left out held nothing. total_tokens is never looked at."""
        return (
            count(self.input_tokens, "input_tokens") or 0,
            count(self.cached_input_tokens, "cached_input_tokens") or 0,
            count(self.output_tokens, "output_tokens") or 0,
            count(self.reasoning_output_tokens, "reasoning_output_tokens") or 0,
        )

    @property
    def written(self) -> int | None:
        """The tokens written to a cache, which older versions do not tell."""
        return count(self.cache_write_input_tokens, "cache_write_input_tokens")


class Thread(State):
    """The thread a file holds.

    root: the thread its family stems from. total: None until the first row. written: the total of
    cache writes. recorded: a response that was counted by its id and whose totals are still to
    come. counted: one that was counted by its totals and whose id may still come.
    """

    thread_id: str = ""
    root: str = ""
    provider: str = ""
    folder: str = ""
    is_subagent: bool = False
    model: str = ""
    turn_id: str = ""
    total: Tokens | None = None
    written: int = 0
    chain: bytes = b""
    recorded: Tokens | None = None
    counted: Tokens | None = None

    @property
    def is_fork(self) -> bool:
        """Whether the thread began as a copy of another one."""
        return bool(self.thread_id) and self.root != self.thread_id

    def follow(self, thread_id: str, parent_id: str) -> bool:
        """Learn a thread's parent; whether it is the file's own thread, which comes first.

        The files of forks repeat the descent of their parents, so the root is found step by step.
        """
        is_own = not self.thread_id
        if is_own:
            self.thread_id = thread_id
        if is_own or (self.total is None and thread_id == self.root):
            self.root = parent_id or thread_id
        return is_own

    def moved(self, now: Usage, last: Usage | None) -> tuple[Tokens, int | None] | None:
        """What was used since the row before, and the cache writes among it.

        None where nothing moved, however large last is. A total that fell began anew: then last is
        what was used. So it is in a fork whose file begins without its parent's rows: its first
        total is not its own.
        """
        total, before = now.tokens, self.total
        recent = NONE if last is None else last.tokens
        if total == before:
            return None
        self.chain = _hash(self.chain + repr((total, recent)).encode())
        written_before, self.total, self.written = self.written, total, now.written or 0
        if before is None:
            began_anew, before = self.is_fork and recent != NONE, NONE
        else:
            began_anew = any(n < then for n, then in zip(total, before, strict=True))
        if began_anew and last is not None:
            used, written = recent, last.written
        elif began_anew:
            used, written = total, now.written
        else:
            used = _difference(total, before)
            written = None if now.written is None else max(now.written - written_before, 0)
        return (used, written) if any(used) else None

    @property
    def key(self) -> bytes:
        """The identity of the request that the last row told of."""
        return _hash(self.root.encode() + self.chain)


def _difference(total: Tokens, before: Tokens) -> Tokens:
    a, b, c, d = (now - then for now, then in zip(total, before, strict=True))
    return a, b, c, d


def _hash(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()
