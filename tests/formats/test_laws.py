"""Laws of counting that hold for every format: packing, cutting, copying and order add nothing.

They run over all golden samples, folded in memory by the functions that the books are kept with.
"""

import gzip
import io
import random

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounting.domain.naming import dedupe_key
from ingest.formats import by_name
from ingest.formats.base import Outcome, Scope, Unit
from ingest.formats.cutting import Layout, cut, items_of
from tests.formats.folders import read_folder
from tests.formats.reading import Books, detected, sample, told
from tests.formats.test_detection import NAMES

quick = settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def layout_of(name: str) -> Layout:
    return detected(sample(name), name).layout


def known(name: str):
    return by_name(name.partition("/")[0])


def read(name: str, body: bytes, **how) -> list[Outcome]:
    return told(name.partition("/")[0], body, layout=layout_of(name), path=name, **how)


def books(name: str, *bodies: bytes) -> Books:
    """Several files of one format, each read with a state of its own."""
    return Books.of(outcome for body in bodies for outcome in read(name, body))


def lines_of(name: str) -> tuple[bytes, list[bytes]]:
    """A sample's header, b'' where it has none, and its lines; a row of a CSV may be several."""
    body = sample(name)
    if layout_of(name) is not Layout.CSV:
        lines = [line + b"\n" for line in body.split(b"\n") if line.strip()]
        return b"", lines
    header, _, _ = body.partition(b"\n")
    (piece,) = cut(io.BytesIO(body), Layout.CSV)
    starts = [item.offset for item in items_of(piece, Layout.CSV)]
    ends = [*starts[1:], len(body)]
    return header + b"\n", [body[a:b] for a, b in zip(starts, ends, strict=True)]


def holds_many(name: str) -> bool:
    """Whether a line of this format is an export of many records."""
    return any(len(told(known(name).name, line)) > 1 for line in lines_of(name)[1])


TEXTS = [name for name in NAMES if not name.endswith(".pb")]
#: Samples of lines or rows, which can be cut and reordered.
LINED = [name for name in NAMES if layout_of(name) in {Layout.JSONL, Layout.CSV}]
#: Those whose records do not depend on each other.
INDEPENDENT = [name for name in LINED if known(name).scope is Scope.RECORD]
#: Those whose records do not lie inside their lines.
RECORD_A_LINE = [
    name
    for name in LINED
    if Unit.DOCUMENT not in {known(name).unit, *known(name).also} and not holds_many(name)
]


def same(one: Books, two: Books) -> bool:
    """The same requests with the same use; where a line stands may differ."""
    return one.events == two.events


@pytest.mark.parametrize("name", NAMES)
def test_imported_twice_a_file_counts_once(name):
    assert same(books(name, sample(name), sample(name)), books(name, sample(name)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("packed", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_a_packed_file_counts_like_a_plain_one(name, packed):
    assert same(books(name, packed(sample(name))), books(name, sample(name)))


@pytest.mark.parametrize("name", TEXTS)
def test_line_ends_of_windows_change_nothing(name):
    plain = sample(name)
    windows = plain.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    assert same(books(name, windows), books(name, plain))
    assert same(books(name, b"\xef\xbb\xbf" + windows, plain), books(name, plain))


@pytest.mark.parametrize("name", INDEPENDENT)
@quick
@given(order=st.randoms(use_true_random=False))
def test_the_order_of_lines_changes_nothing(name, order):
    header, lines = lines_of(name)
    shuffled = header + b"".join(order.sample([with_end(line) for line in lines], len(lines)))
    original = books(name, sample(name))
    assert same(books(name, shuffled), original)
    assert same(books(name, sample(name), shuffled), original)


@pytest.mark.parametrize("name", INDEPENDENT)
@quick
@given(choices=st.data())
def test_a_file_cut_in_two_counts_like_the_whole(name, choices):
    header, lines = lines_of(name)
    # Rows without ids are told apart by which of its equals each is: equal ones stay together.
    places = [n for n in range(len(lines) + 1) if not {*lines[:n]} & {*lines[n:]}]
    place = choices.draw(st.sampled_from(places))
    halves = [header + b"".join(map(with_end, half)) for half in (lines[:place], lines[place:])]
    assert same(books(name, *halves), books(name, sample(name)))


@pytest.mark.parametrize("name", LINED)
@quick
@given(choices=st.data())
def test_a_file_that_grew_adds_only_its_new_rows(name, choices):
    header, lines = lines_of(name)
    place = choices.draw(st.integers(0, len(lines)))
    before = header + b"".join(map(with_end, lines[:place]))
    whole = books(name, sample(name))
    grown = books(name, *([before] if place else []), sample(name))
    assert grown.events.keys() == whole.events.keys()
    assert same(grown, whole)


@pytest.mark.parametrize("name", NAMES)
@quick
@given(size=st.integers(1, 5_000))
def test_the_size_of_cuts_changes_no_outcome(name, size):
    state = known(name).new_state()
    assert read(name, sample(name), size=size, state=state) == read(name, sample(name))


@pytest.mark.parametrize("name", RECORD_A_LINE)
def test_every_source_record_has_one_outcome(name):
    _, lines = lines_of(name)
    outcomes = read(name, sample(name))
    assert all(isinstance(each, Outcome) for each in outcomes)
    assert len(outcomes) == len(lines)


FOLDERS = sorted({name.partition("/")[0] for name in NAMES})


@pytest.mark.parametrize("name", FOLDERS)
@quick
@given(seed=st.integers(0, 1_000))
def test_the_order_of_files_changes_no_request(name, seed):
    def shuffled(paths):
        paths = sorted(paths)
        random.Random(seed).shuffle(paths)
        return paths

    assert same(Books.of(read_folder(name, shuffled)), Books.of(read_folder(name)))


@pytest.mark.parametrize("name", NAMES)
def test_keys_are_made_of_the_record_alone(name):
    for key, record in books(name, sample(name)).events.items():
        assert key == dedupe_key(1, record.identity)


def with_end(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n"
