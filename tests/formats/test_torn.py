"""JSON that is cut off or damaged, as far as it goes."""

from contextlib import suppress

import pytest

from ingest.formats.torn import TORN, events, placed_events, values

DIGITS = b'{"n":[' + b"9" * 5_000 + b'],"m":[{"a":1}]'


def drained(found):
    with suppress(*TORN):
        for _ in found:
            pass


@pytest.mark.parametrize(
    "text",
    [
        DIGITS,
        b'{"n":1e99999999999999999999}',
        b'{"n":NaN}',
        b'{"n":"\\udc00x"}',
        b'{"n":"caf\xe9"}',
        b"[" * 400,
    ],
    ids=range(6),
)
def test_a_damaged_text_raises_and_ends_nothing_else(text):
    # The parser's fault showed when it was asked again.
    for _ in range(20):
        drained(events(text))
        drained(placed_events(text))
        drained(values(text, "m.item"))


def test_a_number_of_many_digits_hides_nothing_after_it():
    assert [value for event, value in events(DIGITS + b"}") if event == "map_key"] == [
        "n",
        "m",
        "a",
    ]
    assert list(values(DIGITS + b"}", "m.item")) == [{"a": 1}]
