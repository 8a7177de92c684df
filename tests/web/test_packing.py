"""Pages and what they load go out packed, and what is no page as it is."""

import gzip
from pathlib import Path

import brotli
import pytest

# Closing an answer looks after the connections of the database.
pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[2]
STYLES = "css/tallybook.css"
PLAIN = (ROOT / "static" / STYLES).read_bytes()


def fetched(client, accepted, path=STYLES, **more):
    """The answer, and what it carries."""
    answer = client.get(f"/static/{path}", headers={"accept-encoding": accepted, **more})
    body = answer.getvalue()
    answer.close()
    return answer, body


@pytest.mark.parametrize(
    ("accepted", "encoding", "unpacked"),
    [
        ("gzip, deflate, br, zstd", "br", brotli.decompress),
        ("gzip, deflate", "gzip", gzip.decompress),
    ],
)
def test_a_static_file_comes_in_the_best_encoding_that_is_accepted(
    client, accepted, encoding, unpacked
):
    answer, packed = fetched(client, accepted)
    assert answer.headers["Content-Encoding"] == encoding
    assert answer.headers["Content-Length"] == str(len(packed))
    assert "ETag" not in answer.headers  # by which a part of the plain file would be asked for
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert unpacked(packed) == PLAIN
    assert len(packed) < len(PLAIN) / 3


@pytest.mark.parametrize(
    "accepted", ["", "identity", "deflate", "brotli, zstd", "br;q=0, gzip; q=0.0"]
)
def test_who_can_unpack_nothing_gets_the_file_as_it_is(client, accepted):
    answer, body = fetched(client, accepted)
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert body == PLAIN


def test_a_part_of_a_file_is_a_part_of_the_plain_one(client):
    answer, body = fetched(client, "br", range="bytes=0-99")
    assert answer.status_code == 206
    assert "Content-Encoding" not in answer.headers
    assert body == PLAIN[:100]


def test_a_file_that_did_not_change_is_not_sent_again(client):
    first, _body = fetched(client, "br")
    answer, body = fetched(client, "br", **{"if-modified-since": first.headers["Last-Modified"]})
    assert (answer.status_code, body) == (304, b"")


def test_a_short_file_is_not_worth_packing(client):
    answer, body = fetched(client, "br", path="icon.svg")
    assert len(body) < 1_024
    assert "Content-Encoding" not in answer.headers


def test_a_page_is_packed_and_an_answer_to_a_program_is_not(page):
    packed = page.get("/", headers={"accept-encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content).startswith(b"<!doctype html>")
    answer = page.get("/api/schema/", headers={"accept-encoding": "gzip"})
    assert answer.status_code == 200
    assert "Content-Encoding" not in answer.headers
