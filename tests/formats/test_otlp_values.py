"""OTLP's attributes and times as plain values."""

from decimal import Decimal

import msgspec
import pytest

from ingest.formats.base import RejectedError
from ingest.formats.otlp_values import Attribute, instant, of_object, of_pairs


def attributes(text):
    return of_pairs(msgspec.json.decode(text, type=list[Attribute]))


def test_integers_come_as_numbers_or_as_texts():
    told = attributes(
        '[{"key":"a","value":{"intValue":"7"}},{"key":"b","value":{"int_value":8}},'
        '{"key":"c","value":{"stringValue":"9"}},{"key":"d","value":{"doubleValue":10.0}}]'
    )
    assert [told.count(name) for name in "abcd"] == [7, 8, 9, 10]
    assert told.count("e") is None
    assert told.text("a") == "7"


def test_doubles_keep_their_digits():
    told = attributes('[{"key":"a","value":{"doubleValue":0.0000012345678901}}]')
    assert told.cost("a") == Decimal("0.0000012345678901")


def test_the_first_name_that_is_set_answers():
    told = of_object({"old": msgspec.Raw(b"1"), "new": msgspec.Raw(b'""')})
    assert told.count("new", "old") == 1


def test_lists_and_lists_of_pairs_are_plain():
    told = attributes(
        '[{"key":"a","value":{"arrayValue":{"values":[{"stringValue":"x"},{"intValue":"1"}]}}},'
        '{"key":"b","value":{"kvlistValue":{"values":[{"key":"k","value":{"boolValue":true}}]}}},'
        '{"key":"c","value":{"stringValue":"stop"}}]'
    )
    assert told.values["a"] == ["x", 1]
    assert told.values["b"] == {"k": True}
    assert told.texts("c") == ("stop",)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('[{"key":"a","value":{"boolValue":true}}]', "bad_count"),
        ('[{"key":"a","value":{"doubleValue":1e400}}]', "number_out_of_range"),
        ('[{"key":"a","value":{"doubleValue":1.5}}]', "bad_count"),
        ('[{"key":"a","value":{"doubleValue":"NaN"}}]', "not_a_number"),
        ('[{"key":"a","value":{"stringValue":"x"}}]', "bad_count"),
        ('[{"key":"a","value":{"arrayValue":{"values":[]}}}]', "bad_count"),
        ('[{"key":"a","value":{"intValue":"1"}},{"key":"a"}]', "duplicate_key"),
        ('[{"key":"a","value":{"arrayValue":7}}]', "not_an_object"),
    ],
)
def test_what_is_no_count_is_rejected(text, code):
    with pytest.raises(RejectedError) as refusal:
        attributes(text).count("a")
    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1775548804123456789", "2026-04-07T08:00:04.123456+00:00"),
        (1775548804123457000, "2026-04-07T08:00:04.123457+00:00"),
        ([1775548804, 5000], "2026-04-07T08:00:04.000005+00:00"),
        ("2026-04-07T08:00:04Z", "2026-04-07T08:00:04+00:00"),
    ],
)
def test_times_come_in_four_ways(value, expected):
    assert instant(value, "time").isoformat() == expected


def test_a_time_of_zero_is_unknown():
    assert instant("0", "time") is None
    assert instant(None, "time") is None
