"""A cut holds no more records than a worker has memory for, however short they are."""

from io import BytesIO

import pytest

from ingest.formats.cutting import Layout, cut, items_of

ROWS = 10


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (Layout.CSV, b"a,b\n" + b"1,2\n" * ROWS),
        (Layout.ARRAY, b"[" + b",".join([b'{"a":1}'] * ROWS) + b"]"),
    ],
)
def test_short_records_are_cut_by_their_number(layout, text):
    cuts = list(cut(BytesIO(text), layout, records=4))

    found = [[item.line for item in items_of(piece, layout)] for piece in cuts]
    assert [len(lines) for lines in found] == [4, 4, 2]
    assert len({line for lines in found for line in lines}) == ROWS


def test_lines_are_counted_piece_by_piece():
    text = b"".join(b'{"n":%06d}\n' % n for n in range(60_000))  # 780 kB: more than three pieces

    cuts = list(cut(BytesIO(text), Layout.JSONL, records=10_000))

    sizes = [piece.body.count(b"\n") for piece in cuts]
    assert sum(sizes) == 60_000
    assert len(sizes) == 3
    assert [piece.first_line for piece in cuts] == [1, 1 + sizes[0], 1 + sizes[0] + sizes[1]]
    assert b"".join(piece.body for piece in cuts) == text
