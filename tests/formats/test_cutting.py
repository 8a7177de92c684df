"""However a file is cut, its records are the same."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.formats.base import LINE_LIMIT
from ingest.formats.cutting import Cut, Layout, UnreadableError, cut, items_of, opened
from tests.formats.reading import Books, detected, read_sample, sample, told, totals

FRAGMENTS = st.sampled_from(
    [
        b'{"a":1}',
        b"\n",
        b"\r\n",
        b'"',
        b"\\",
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b" ",
        b'"a,b"',
        b'"x\ny"',
        b"1.50",
        b"\xef\xbb\xbf",
        b"\xff",
        b"",
    ]
)


def items(body: bytes, layout: Layout, size: int = 4_000_000) -> list[tuple[object, ...]]:
    """Line, offset, body and refusal of each item."""
    pieces = cut(io.BytesIO(body), layout, size)
    found = [item for piece in pieces for item in items_of(piece, layout)]
    return [(i.line, i.offset, i.body, i.refusal and i.refusal.code) for i in found]


@pytest.mark.parametrize(
    ("layout", "head"), [(Layout.JSONL, b""), (Layout.ARRAY, b"["), (Layout.CSV, b"a,b\n")]
)
@given(fragments=st.lists(FRAGMENTS, max_size=40), size=st.integers(1, 60))
def test_small_cuts_give_the_items_of_one_cut(layout, head, fragments, size):
    body = head + b"".join(fragments)
    assert items(body, layout, size) == items(body, layout)


@given(size=st.integers(1, 400))
def test_a_cut_array_gives_each_element_its_own_bytes(size):
    body = b'\xef\xbb\xbf [ {"cost":1.50},\n {"b":[1,{"c":"],\\""}]} , {"d":2}]\n'
    assert items(body, Layout.ARRAY, size) == [
        (1, 6, b'{"cost":1.50}', None),
        (2, 22, b'{"b":[1,{"c":"],\\""}]}', None),
        (3, 47, b'{"d":2}', None),
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"[]", []),
        (b"[ \n ]", []),
        (b"[1,]", [b"1", b""]),
        (b'[{"a":1},{"b"', [b'{"a":1}', b'{"b"']),
        (b'[{"a":1}', [b'{"a":1}', b""]),
        (b'[{"a":1}] x', [b'{"a":1}', b"x"]),
    ],
)
def test_an_array_without_a_right_end_has_one_record_more(body, expected):
    assert [text for _, _, text, _ in items(body, Layout.ARRAY)] == expected


def test_documents_may_follow_each_other():
    body = b'{\n"a":1}\n\n{"b":2}\n{"c":'
    assert items(body, Layout.DOCUMENT) == [
        (1, 0, b'{\n"a":1}', None),
        (4, 10, b'{"b":2}', None),
        (5, 18, b'{"c":', None),
    ]


def test_a_row_may_hold_line_ends_and_an_open_quote_costs_its_own_line():
    body = b'a,b\n1,"x\ny"\n2,3\n4,"open\n6,7\n'
    assert items(body, Layout.CSV) == [
        (2, 4, {"a": "1", "b": "x\ny"}, None),
        (4, 12, {"a": "2", "b": "3"}, None),
        (5, 16, {}, "unclosed_quote"),
        (6, 24, {"a": "6", "b": "7"}, None),
    ]


@pytest.mark.parametrize("layout", [Layout.JSONL, Layout.CSV])
@pytest.mark.parametrize("size", [10, 1 << 20, 1 << 22])
def test_a_line_that_is_too_long_is_dropped_and_the_next_one_keeps_its_place(layout, size):
    body = b"a,b\n1,2\n" + b"x" * (3 * LINE_LIMIT) + b",\n3,4\n"
    *_, long, last = items(body, layout, size)
    assert (long[0], long[3]) == (3, "line_too_long")
    assert last[:2] == (4, 8 + 3 * LINE_LIMIT + 2)


def test_cuts_hold_whole_lines_with_their_number_and_offset():
    pieces = list(cut(io.BytesIO(b"\xef\xbb\xbfone\ntwo\r\n\nfour"), Layout.JSONL, 5))
    assert pieces == [
        Cut(first_line=1, offset=3, body=b"one\n"),
        Cut(first_line=2, offset=7, body=b"two\r\n"),
        Cut(first_line=3, offset=12, body=b"\n"),
        Cut(first_line=4, offset=13, body=b"four"),
    ]


@pytest.mark.parametrize(
    ("name", "layout"),
    [("litellm_payload/calls.jsonl", Layout.JSONL), ("litellm_spend_logs/rows.csv", Layout.CSV)],
)
@pytest.mark.parametrize("size", [1, 100, 1_500])
def test_every_cut_of_a_sample_reads_the_same(name, layout, size):
    known = detected(sample(name)).format.name
    assert told(known, sample(name), layout=layout, size=size) == read_sample(name)


def test_line_ends_and_byte_order_marks_do_not_matter():
    plain = sample("native/events.jsonl")
    windows = b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n").rstrip()
    assert totals(Books.of(told("native", windows))) == totals(Books.of(told("native", plain)))


def test_an_array_of_records_reads_like_its_lines():
    lines = sample("litellm_payload/calls.jsonl").strip().split(b"\n")
    array = b"[\n" + b",\n".join(lines) + b"\n]"
    assert detected(array).layout is Layout.ARRAY
    as_array = told("litellm_payload", array, layout=Layout.ARRAY)
    assert as_array == read_sample("litellm_payload/calls.jsonl")


def test_two_columns_of_one_name_make_a_file_unreadable():
    with pytest.raises(UnreadableError) as error:
        list(cut(opened(io.BytesIO(b"a,b,a\n1,2,3\n")), Layout.CSV))
    assert error.value.code == "duplicate_column"
