"""A Claude Code folder for measurements, the same one for the same seed.

As real ones: 2 to 20 KB a line, tool results between the answers, an answer on one to four lines whose
counts grow and of which only the last says how it ended, and sessions that were resumed, which repeat the
lines of another under the same message ids.
"""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

START = datetime(2026, 9, 3, tzinfo=UTC)
MODELS = (b"claude-sonnet-4-5-20250929", b"claude-opus-4-1-20250805", b"claude-haiku-4-5-20251001")
DAY_S = 24 * 3600.0
FILE_BYTES = 1_300_000
PROJECTS = 12
RESUMED = 8  # of so many sessions one begins with the lines of another
_WORDS = b"the tool printed these lines of code and some numbers 0 1 2 3 4 5 in its result; " * 260
_PLACE = (
    b'"parentUuid":"%032x","isSidechain":%s,"userType":"external","cwd":"/home/dev/project-%d",'
    b'"sessionId":"%036x","version":"2.0.14","gitBranch":"main"'
)
_USER = (
    b'{%s,"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_%024x",'
    b'"type":"tool_result","content":"%s"}]},"uuid":"%032x","timestamp":"%s"}\n'
)
_ANSWER = (
    b'{%s,"message":{"id":"msg_%024x","type":"message","role":"assistant","model":"%s",'
    b'"content":[{"type":"text","text":"%s"}],"stop_reason":%s,"stop_sequence":null,'
    b'"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,'
    b'"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":0},'
    b'"output_tokens":%d,"service_tier":"standard"}},"requestId":"req_%024x","type":"assistant",'
    b'"uuid":"%032x","timestamp":"%s"}\n'
)


def write_claude_folder(folder: Path, size: int, *, seed: int = 1) -> int:
    """Write a folder of about so many bytes; how many files. Their times lie in the past."""
    chance = Random(seed)
    written = files = 0
    before = b""
    old = time.time() - DAY_S
    while written < size:
        project = folder / "projects" / f"-home-dev-project-{files % PROJECTS}"
        project.mkdir(parents=True, exist_ok=True)
        lines = b"".join(_session(chance, files))
        resumed = before[: len(before) // 2] if files % RESUMED == RESUMED - 1 else b""
        body = resumed[: resumed.rfind(b"\n") + 1] + lines
        path = project / f"{chance.getrandbits(128):036x}.jsonl"
        path.write_bytes(body)
        os.utime(path, (old, old))
        before = lines
        written += len(body)
        files += 1
    return files


def append_answers(folder: Path, *, files: int, seed: int = 99) -> int:
    """Add some lines to the first files of the folder, as a session that goes on; the bytes added."""
    chance = Random(seed)
    old = time.time() - DAY_S / 24
    added = 0
    for number, path in enumerate(sorted(folder.rglob("*.jsonl"))[:files]):
        lines = b"".join(_turn(chance, 5_000 + number, chance.getrandbits(128), START))
        with path.open("ab") as log:
            log.write(lines)
        os.utime(path, (old, old))
        added += len(lines)
    return added


def _session(chance: Random, number: int) -> Iterator[bytes]:
    session = chance.getrandbits(128)
    at = START + timedelta(minutes=17 * number)
    written = 0
    while written < FILE_BYTES:
        for line in _turn(chance, number, session, at):
            written += len(line)
            yield line
        at += timedelta(seconds=chance.randrange(4, 90))


def _turn(chance: Random, number: int, session: int, at: datetime) -> Iterator[bytes]:
    """A tool's result and the answer to it, which stands on one to four lines."""
    side = b"true" if number % 9 == 0 else b"false"
    place = _PLACE % (chance.getrandbits(128), side, number % PROJECTS, session)
    start = chance.randrange(80)
    text = _WORDS[start : start + chance.randrange(1_500, 20_000)]
    yield _USER % (place, chance.getrandbits(96), text, chance.getrandbits(128), _written(at))
    message, request = chance.getrandbits(96), chance.getrandbits(96)
    model = MODELS[chance.randrange(len(MODELS))]
    read, fresh = chance.randrange(5_000, 150_000), chance.randrange(200, 6_000)
    output = chance.randrange(150, 2_500)
    blocks = chance.randrange(1, 5)
    for block in range(1, blocks + 1):
        is_last = block == blocks
        yield _ANSWER % (
            place, message, model, text[: chance.randrange(600, 2_600)],
            b'"tool_use"' if is_last else b"null", chance.randrange(3, 12), fresh, read, fresh,
            output if is_last else min(block, output), request, chance.getrandbits(128),
            _written(at + timedelta(seconds=block)),
        )  # fmt: skip


def _written(moment: datetime) -> bytes:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z").encode()
