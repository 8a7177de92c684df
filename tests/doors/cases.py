"""What hostile or careless senders send, and what every door makes of it.

The numbers are those of the list of hostile inputs that this project was planned by. What a door
makes of a case is found by its name, then by its traits, then under `anywhere`; None: it cannot be
sent there.
"""

import gzip
import io
import tarfile
import zipfile
from dataclasses import dataclass, field
from typing import Any

#: Order in which a door's traits are asked.
TRAITS = ("protobuf", "otlp-json", "otlp", "command", "file", "array", "cloud", "lines", "native")
MIB = 1024 * 1024


@dataclass(frozen=True)
class Counts:
    """All of it counts: so many requests with so many input tokens."""

    requests: int = 3
    input_tokens: int = 300


@dataclass(frozen=True)
class Rejects:
    """The record in the middle is rejected, and its neighbours count."""

    code: str


@dataclass(frozen=True)
class Refuses:
    """The whole body is refused: a status (of the command an exit code) and a code."""

    status: int
    code: str


@dataclass(frozen=True)
class Case:
    """One record between two good ones. fields: as JSON text; by: what doors make of it."""

    number: int
    what: str
    fields: dict
    by: dict = field(default_factory=dict)
    #: How the same is said elsewhere, by trait.
    said: dict = field(default_factory=dict)

    def fields_for(self, door):
        return found_for(door, {"anywhere": self.fields, **self.said})


@dataclass(frozen=True)
class BodyCase:
    """Three good records, packed or spoilt as a whole."""

    number: int
    what: str
    turn: Any
    by: dict
    headers: dict = field(default_factory=dict)
    settings: dict = field(default_factory=dict)


def found_for(door, table):
    for name in (door.name, *(each for each in TRAITS if each in door.traits), "anywhere"):
        if name in table:
            return table[name]
    return None


def rejected(number, what, code, *, by=None, said=None, **fields):
    found = {"anywhere": Rejects(code), **(by or {})}
    return Case(number, what, fields, found, said or {})


def counted(number, what, *, by=None, said=None, in_all=300, **fields):
    found = {"anywhere": Counts(3, in_all), **(by or {})}
    return Case(number, what, fields, found, said or {})


def text(value):
    return b'"' + value.encode() + b'"'


def nested(depth):
    return b"[" * depth + b"]" * depth


NOT_OTLP = {"otlp": None}
#: A text that is no JSON: an export is one value, and cannot be read without it.
OTLP_400 = {
    "otlp-json": Refuses(400, "not_json"),
    "protobuf": None,
    "cloudevent": Refuses(422, "not_this_format"),
}
#: One record alone, or one whole document, is refused where it nests so deep.
DEEP = {"otlp-json": Refuses(400, "too_deep"), "cloudevent": Refuses(400, "too_deep")}
USD = {"reported_currency": b'"USD"'}

RECORDS = [
    rejected(
        1,
        "a line of 2 MiB",
        "line_too_long",
        line=b'{"x":"' + b"x" * 2 * MIB + b'"}',
        by={**NOT_OTLP, "cloudevent": Refuses(422, "not_this_format")},
    ),
    *(
        rejected(
            13,
            f"nested {depth} deep",
            "too_deep",
            extra=b'"tags":' + nested(depth),
            by={
                "protobuf": None,
                **(DEEP if depth > 500 else {}),
            },
            said={"otlp-json": {"extra": b'"events":' + nested(depth)}},
        )
        for depth in (100, 1_100, 100_000)
    ),
    *(
        rejected(
            14,
            word,
            "not_a_number",
            input_tokens=word.encode(),
            by={"otlp-json": Refuses(400, "not_a_number")},
        )
        for word in ("NaN", "Infinity", "-Infinity")
    ),
    *(
        rejected(15, word, "number_out_of_range", input_tokens=word.encode(), by={"protobuf": None})
        for word in ("1e400", "1E+999999", "1E-999999")
    ),
    rejected(
        16, "5,000 digits", "number_out_of_range", input_tokens=b"9" * 5_000, by={"protobuf": None}
    ),
    *(
        rejected(
            17,
            f"{number} tokens",
            "number_out_of_range",
            input_tokens=b"%d" % number,
            by={"protobuf": None} if number >= 2**63 else {},
        )
        for number in (10**12, 2**63, 10**30)
    ),
    *(
        rejected(17, f"{word} tokens", "bad_count", input_tokens=word.encode())
        for word in ("-1", "1.5", "true")
    ),
    counted(17, "12 as a text", input_tokens=b'"12"', in_all=212),
    rejected(
        18,
        "30 decimals",
        "too_many_digits",
        by={"protobuf": None},
        reported_cost=b"0.123456789012345678901234567890",
        **USD,
    ),
    rejected(
        18,
        "a cost of 10^25",
        "too_many_digits",
        reported_cost=b"1" + b"0" * 25,
        **USD,
        by={"protobuf": None},
    ),
    rejected(18, "a cost that is no number", "bad_amount", reported_cost=b'"NaN"', **USD),
    rejected(19, "a NUL character", "nul_character", model=b'"a\\u0000b"'),
    rejected(
        19,
        "a NUL byte",
        "nul_character",
        model=b'"a\0b"',
        by={"protobuf": None, "otlp-json": Refuses(400, "nul_character")},
    ),
    rejected(
        20,
        "half a character",
        "invalid_unicode",
        session_id=b'"\\ud800"',
        by={"protobuf": None},
    ),
    rejected(21, "Latin-1", "invalid_utf8", session_id=b'"caf\xe9"', by={"protobuf": None}),
    rejected(
        22,
        "a mark in the middle",
        "not_json",
        line=b'\xef\xbb\xbf{"id":"x"}',
        by={"lines": Rejects("not_json"), "anywhere": None},
    ),
    rejected(
        25,
        "a name that stands twice",
        "duplicate_key",
        extra=b'"input_tokens":5',
        said={
            "otlp-json": {"extra": b'"attributes":[]'},
            "protobuf": {"extra": {"gen_ai__usage__input_tokens": 5}},
        },
    ),
    *(
        rejected(26, what, "not_json", line=line, by=OTLP_400)
        for what, line in {
            "two objects on a line": b'{"id":"x"}{"id":"y"}',
            "a comma too many": b'{"id":"x",}',
            "single quotes": b"{'id':'x'}",
            "a comment": b'{"id":"x"} // said',
        }.items()
    ),
    rejected(
        27,
        "10,000 unknown names",
        "unknown_field",
        extra=b",".join(b'"k%d":1' % n for n in range(10_000)),
        by={"otlp": Counts(3, 300)},
        said={"protobuf": {"extra": {f"k{n}": 1 for n in range(10_000)}}},
    ),
    rejected(
        27,
        "names that are something in JavaScript",
        "unknown_field",
        extra=b'"__proto__":{"a":1},"constructor":1',
        by={"otlp": Counts(3, 300)},
        said={"protobuf": {"extra": {"constructor": 1}}},
    ),
    rejected(
        27,
        "65 tags",
        "too_many_fields",
        by=NOT_OTLP,
        extra=b'"tags":{' + b",".join(b'"t%d":"x"' % n for n in range(65)) + b"}",
    ),
    rejected(28, "a model of 201 letters", "text_too_long", model=text("m" * 201)),
    rejected(28, "a model of 100 KB", "text_too_long", model=text("m" * 100_000)),
    *(
        counted(number, what, model=text(model))
        for number, what, model in [
            (28, "letters that turn the text", "gpt\u202e4o\u200b"),
            (28, "a picture", "gpt-4o 🎉"),
            (29, "HTML", "<img src=x onerror=alert(1)></script>"),
            (30, "a formula", "=HYPERLINK('http://evil')"),
        ]
    ),
    counted(
        34,
        "milliseconds",
        started_at=b'"1772445600000"',
        by={"protobuf": None},
        said={"otlp": {"start": b'"1772445600000"'}},
    ),
    rejected(
        34,
        "a moment of year 57971",
        "bad_time",
        started_at=b'"1767225600000000000000"',
        said={"otlp": {"start": b'"9999999999999999999"'}},
    ),
    *(
        rejected(35, moment, "bad_time", started_at=text(moment), by=NOT_OTLP)
        for moment in ("10000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "infinity")
    ),
    *(
        rejected(36, moment, "bad_time", started_at=text(moment), by=NOT_OTLP)
        for moment in (
            "2026-03-02T10:00:60Z",
            "2026-03-02T24:00:00Z",
            "2026-03-02T10:00:00+25:00",
            "2026-02-30T10:00:00Z",
            "2026-W01-1T10:00:00Z",
            "2026-03-02",
            "2026-03-02T10:00:00",
        )
    ),
    rejected(
        37,
        "long past",
        "bad_time",
        started_at=b'"2016-03-02T10:00:00Z"',
        said={"otlp": {"start": b'"1456912800000000000"'}},
    ),
    # A file is read whatever its times; what lies ahead is pointed out.
    rejected(
        37,
        "far ahead",
        "in_future",
        started_at=b'"2098-03-02T10:00:00Z"',
        by={"file": Counts()},
        said={"otlp": {"start": b'"4044751200000000000"'}},
    ),
    *(
        rejected(38, digits, "bad_count", input_tokens=text(digits))
        for digits in ("١٢٣", "1_000", " 12")
    ),
]

PACKED = {"Content_Encoding": "gzip"}
NO_CODING = {"file": None}


def refused(status, code, **by):
    """A refusal; OTLP answers 400 where others say 422, the command ends with 1."""
    otlp = status if status in {413, 415} else 400
    return {
        "anywhere": Refuses(status, code),
        "otlp": Refuses(otlp, code),
        "command": Refuses(1, code),
        **by,
    }


def twice(body):
    half = len(body) // 2
    return gzip.compress(body[:half]) + gzip.compress(body[half:])


def zipped(body):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("../../etc/passwd", body)
    return held.getvalue()


def tarred(body):
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        entry = tarfile.TarInfo("link")
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(entry)
    return held.getvalue()


BODIES = [
    BodyCase(
        2,
        "a body that is too long",
        lambda body: body,
        refused(413, "too_large", file=None, command=None),
        settings={"MAX_PUSH_BYTES": 40},
    ),
    BodyCase(
        3,
        "a file that is too long",
        lambda body: body,
        {"upload": Refuses(413, "too_large")},
        settings={"MAX_UPLOAD_BYTES": 40},
    ),
    BodyCase(
        4,
        "a bomb",
        lambda _: gzip.compress(b"\0" * 20_000_000),
        refused(413, "decompressed_too_large", file=None, command=None),
        PACKED,
        {"MAX_PUSH_BYTES": 100_000},
    ),
    BodyCase(
        5,
        "packed twice",
        lambda body: gzip.compress(gzip.compress(body)),
        refused(400, "nested_compression"),
        PACKED,
    ),
    BodyCase(
        6,
        "a zip archive",
        zipped,
        refused(
            422,
            "binary_file",
            **{"otlp-json": Refuses(400, "invalid_utf8"), "protobuf": Refuses(400, "not_protobuf")},
        ),
    ),
    BodyCase(
        8,
        "a tar archive",
        tarred,
        refused(
            400,
            "encoding_not_utf8",
            **{
                "otlp-json": Refuses(400, "nul_character"),
                "protobuf": Refuses(400, "not_protobuf"),
            },
        ),
    ),
    BodyCase(
        9,
        "packed and cut off",
        lambda body: gzip.compress(body)[:-9],
        refused(400, "truncated_gzip"),
        PACKED,
    ),
    BodyCase(10, "packed in two members", twice, {"anywhere": Counts()}, PACKED),
    BodyCase(
        11,
        "rubbish after its end",
        lambda body: gzip.compress(body) + b"rubbish",
        refused(400, "trailing_garbage"),
        PACKED,
    ),
    BodyCase(
        12,
        "not packed as it says",
        lambda body: body,
        refused(400, "not_gzip", file=None, command=None),
        PACKED,
    ),
    BodyCase(
        12,
        "packed in an unknown way",
        lambda body: body,
        refused(415, "unsupported_encoding", file=None, command=None),
        {"Content_Encoding": "br"},
    ),
    BodyCase(
        22,
        "a mark at the start",
        lambda body: b"\xef\xbb\xbf" + body,
        {"anywhere": Counts(), "protobuf": None},
    ),
    BodyCase(
        23,
        "UTF-16",
        lambda body: body.decode("latin-1").encode("utf-16"),
        refused(
            400,
            "encoding_not_utf8",
            **{
                "otlp-json": Refuses(400, "invalid_utf8"),
                "protobuf": Refuses(400, "not_protobuf"),
            },
        ),
    ),
    BodyCase(
        24,
        "CRLF, blank lines and no last end",
        lambda b: b.replace(b"\n", b"\r\n\r\n").strip(),
        {"lines": Counts()},
    ),
    BodyCase(
        24,
        "lines that end in CR alone",
        lambda body: body.replace(b"\n", b"\r"),
        {"lines": Refuses(400, "line_ends_cr"), "command": Refuses(1, "line_ends_cr")},
    ),
    BodyCase(
        60,
        "a web page",
        lambda _: b"<html><script>alert(1)</script></html>",
        refused(
            422,
            "unknown_format",
            **{
                "otlp-json": Refuses(400, "not_json"),
                "protobuf": Refuses(400, "not_protobuf"),
            },
        ),
    ),
    BodyCase(
        61,
        "garbage",
        lambda _: bytes(range(1, 256)) * 20,
        {"otlp-json": Refuses(400, "invalid_utf8"), "protobuf": Refuses(400, "not_protobuf")},
    ),
    BodyCase(
        61,
        "cut off",
        lambda body: body[:-5],
        {"otlp-json": Refuses(400, "not_json"), "protobuf": Refuses(400, "not_protobuf")},
    ),
]

_CSV = "tests/formats/test_hostile_records.py"
_ROWS = (_CSV, "test_a_bad_row_is_rejected_and_its_neighbours_are_counted")
_STALLED, _GATE = "tests/api/test_stalled.py", "tests/api/test_gate.py"
_QUESTIONS, _PAGES = "tests/api/test_hostile.py", "tests/api/test_pages.py"
#: Of the list's 61 numbers those that are no matter of one body at one door, and by which tests (file and
#: name) they are held; without any there is nothing here that could be attacked so.
ELSEWHERE = {
    7: ("names in archives: no archive is opened, a workbook's parts are read by name", []),
    31: ("cells of CSV: in files alone", [_ROWS]),
    32: ("quotes of CSV: in files alone", [_ROWS]),
    33: (
        "headers of CSV: in files alone",
        [
            (
                "tests/formats/test_cutting.py",
                "test_two_columns_of_one_name_make_a_file_unreadable",
            ),
            ("tests/formats/test_detection.py", "test_what_is_no_log_is_refused_as_a_whole"),
            _ROWS,
        ],
    ),
    39: (
        "a body that stalls: the server before every door",
        [
            (_STALLED, "test_while_fifty_bodies_stall_everybody_else_is_answered"),
            (_GATE, "test_a_body_that_does_not_come_whole_reaches_no_application"),
            (_GATE, "test_a_trickle_is_too_slow_although_it_never_pauses"),
        ],
    ),
    40: (
        "many that stall: the server before every door",
        [
            (_STALLED, "test_while_two_hundred_heads_stall_everybody_else_is_answered"),
            (_STALLED, "test_while_fifty_bodies_stall_everybody_else_is_answered"),
        ],
    ),
    41: (
        "heads that contradict themselves: the server before every door",
        [
            (_STALLED, "test_41_a_head_that_cannot_be_meant_is_refused"),
            (_STALLED, "test_41_beside_chunks_a_length_means_nothing"),
            (_GATE, "test_headers_that_are_too_long_reach_no_application"),
        ],
    ),
    44: (
        "names to group by: a question",
        [
            (_QUESTIONS, "test_44_an_unknown_group_is_refused_with_what_there_is"),
            (_QUESTIONS, "test_44_an_unknown_order_is_refused"),
            (_QUESTIONS, "test_44_no_condition_reaches_a_column"),
        ],
    ),
    45: (
        "wildcards in filters: a question",
        [
            (_QUESTIONS, "test_45_signs_of_patterns_are_plain_text"),
            (_QUESTIONS, "test_45_a_text_that_is_too_long_is_refused"),
        ],
    ),
    46: (
        "pages out of range: a question",
        [
            (_PAGES, "test_a_forged_cursor_is_refused"),
            (_PAGES, "test_a_limit_is_1_to_1000"),
            (_PAGES, "test_there_are_no_page_numbers"),
        ],
    ),
    47: (
        "too many points: a question",
        [(_QUESTIONS, "test_47_a_thousand_years_by_the_hour_are_refused")],
    ),
    48: (
        "regular expressions: nobody can send one",
        [
            (_QUESTIONS, "test_48_and_49_nothing_is_a_regular_expression"),
            ("tests/domain/test_attribution.py", "test_a_name_made_to_be_slow_is_not"),
        ],
    ),
    49: (
        "regular expressions in PostgreSQL: there are none",
        [(_QUESTIONS, "test_48_and_49_nothing_is_a_regular_expression")],
    ),
    50: ("addresses of webhooks: nothing is sent from here yet", []),
    51: ("answers of webhooks: nothing is sent from here yet", []),
    52: ("addresses of identity providers: there is no such sign-in yet", []),
    53: ("signed tokens: keys are random, not signed", []),
    54: ("clocks of signed tokens: keys are random, not signed", []),
}
