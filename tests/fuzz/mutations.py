"""Spoils a log the way damage, other programs and attackers do."""

import re
from collections.abc import Callable
from random import Random

_NUMBER = re.compile(rb"(?<![\w.\"])-?\d+(?:\.\d+)?")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_MEMBER = re.compile(rb'"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?[\d.]+|true|false|null)')
_NUMBERS = (
    *(b"0", b"-1", b"1", b"-0", b"0.5", b"1e5", b"1E-400", b"1e999", b"NaN", b"Infinity"),
    *(b"999999999999", b"1000000000000", b"9223372036854775808", b"9" * 500, b"1." + b"3" * 60),
    *(b"1775548800", b"1775548800000", b"-62135596801", b"1e18"),
)
_VALUES = (
    *(b"null", b"true", b"false", b"[]", b"{}", b'""', b'"-"', b'"\\u0000"', b'"\\ud800"'),
    *(b'"' + b"x" * 5_000 + b'"', b'"2026-02-30T00:00:00Z"', b'"0001-01-01"', b'"<synthetic>"'),
    *(b"[[]]", b'{"value":{}}', b'[null,1,"a"]', "\U0001f600\u2028".encode()),
)


def mutated(body: bytes, random: Random) -> bytes:
    """The body with one to four things spoilt."""
    for _ in range(random.randint(1, 4)):
        body = random.choice(_ALL)(body, random)
    return body


def _flipped(body: bytes, random: Random) -> bytes:
    if not body:
        return body
    spoilt = bytearray(body)
    for _ in range(random.randint(1, 5)):
        spoilt[random.randrange(len(spoilt))] ^= 1 << random.randrange(8)
    return bytes(spoilt)


def _truncated(body: bytes, random: Random) -> bytes:
    return body[: random.randint(0, len(body))]


def _beheaded(body: bytes, random: Random) -> bytes:
    return body[random.randint(0, len(body)) :]


def _other_number(body: bytes, random: Random) -> bytes:
    return _replaced(body, random, _NUMBER, lambda _: random.choice(_NUMBERS))


def _other_value(body: bytes, random: Random) -> bytes:
    return _replaced(body, random, _STRING, lambda _: random.choice(_VALUES))


def _other_type(body: bytes, random: Random) -> bytes:
    """A number becomes a text, a list or an object, a text a number."""
    if random.random() < 0.5:
        wrappings = (b'"%s"', b"[%s]", b'{"value":%s}')
        return _replaced(
            body, random, _NUMBER, lambda found: random.choice(wrappings) % (found[0],)
        )
    return _replaced(body, random, _STRING, lambda _: random.choice(_NUMBERS))


def _swapped(body: bytes, random: Random) -> bytes:
    """Two numbers change places."""
    found = list(_NUMBER.finditer(body))
    if len(found) < 2:
        return body
    one, two = sorted(random.sample(found, 2), key=lambda each: each.start())
    between = body[one.end() : two.start()]
    return body[: one.start()] + two[0] + between + one[0] + body[two.end() :]


def _said_twice(body: bytes, random: Random) -> bytes:
    """A key stands twice in its object, mostly with another value."""
    return _replaced(
        body,
        random,
        _MEMBER,
        lambda found: found[0] + b"," + _NUMBER.sub(lambda _: random.choice(_NUMBERS), found[0]),
    )


def _nested(body: bytes, random: Random) -> bytes:
    depth = random.choice([2, 70, 5_000])
    opening, closing = random.choice([(b"[", b"]"), (b'{"a":', b"}")])
    nest = opening * depth + b"1" + closing * depth
    return _replaced(body, random, _STRING, lambda _: nest)


def _repeated(body: bytes, random: Random) -> bytes:
    """A line stands again, perhaps elsewhere."""
    lines = body.split(b"\n")
    lines.insert(random.randint(0, len(lines)), random.choice(lines))
    return b"\n".join(lines)


def _shuffled(body: bytes, random: Random) -> bytes:
    lines = body.split(b"\n")
    random.shuffle(lines)
    return b"\n".join(lines)


def _renamed(body: bytes, random: Random) -> bytes:
    """One name becomes another that stands elsewhere in the log."""
    names = _STRING.findall(body)
    return _replaced(body, random, _STRING, lambda _: random.choice(names)) if names else body


def _spliced(body: bytes, random: Random) -> bytes:
    marks = (b"\r\n", b"\xef\xbb\xbf", b"\0", b"\xff", b",", b"}", b"]", b'"', b"\n\n", b"data: ")
    place = random.randint(0, len(body))
    return body[:place] + random.choice(marks) + body[place:]


def _replaced(
    body: bytes,
    random: Random,
    pattern: re.Pattern[bytes],
    by: Callable[[re.Match[bytes]], bytes],
) -> bytes:
    found = list(pattern.finditer(body))
    if not found:
        return body
    one = random.choice(found)
    return body[: one.start()] + by(one) + body[one.end() :]


_ALL = (
    *(_flipped, _truncated, _beheaded, _other_number, _other_value, _other_type, _swapped),
    *(_said_twice, _nested, _repeated, _shuffled, _renamed, _spliced),
)
