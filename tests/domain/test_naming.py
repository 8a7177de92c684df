"""The key of a request part: what makes it another, and what does not."""

from dataclasses import replace
from itertools import combinations

import pytest

from accounting.domain.naming import dedupe_key
from accounting.domain.usage import Identity

WHOLE = Identity(
    response_id="r",
    trace_id="t",
    span_id="s",
    gateway_request_id="g",
    fingerprint=b"f",
    part=0,
)


def without(*names):
    return replace(WHOLE, **{name: type(getattr(WHOLE, name))() for name in names})


@pytest.mark.parametrize(
    ("identity", "key"),
    [
        # blake2b over organization, part, basis and id with NUL between: keys outlive this program.
        (WHOLE, "d85575c5d70cb17fb04bfdd54ffd1403"),
        (without("response_id"), "b046ac0b46e29e620fc18a6335bf8785"),
        (without("response_id", "span_id"), "9cf11c9fe02e0a4014aff9ce7df984b6"),
        (without("response_id", "trace_id"), "9cf11c9fe02e0a4014aff9ce7df984b6"),
        (
            without("response_id", "span_id", "gateway_request_id"),
            "4ebd4966cd44105c4085f4c83237095a",
        ),
    ],
)
def test_a_key_is_always_the_same(identity, key):
    assert dedupe_key(7, identity).hex() == key


def test_the_strongest_id_decides_alone():
    assert dedupe_key(7, WHOLE) == dedupe_key(7, Identity(response_id="r"))
    spanned = without("response_id")
    assert dedupe_key(7, spanned) == dedupe_key(7, Identity(trace_id="t", span_id="s"))


def test_another_organization_part_id_or_kind_of_id_is_another_request():
    keys = [
        dedupe_key(7, Identity(response_id="x")),
        dedupe_key(8, Identity(response_id="x")),
        dedupe_key(7, Identity(response_id="x", part=1)),
        dedupe_key(7, Identity(response_id="y")),
        dedupe_key(7, Identity(gateway_request_id="x")),
        dedupe_key(7, Identity(trace_id="x", span_id="x")),
        dedupe_key(7, Identity(fingerprint=b"x")),
    ]
    assert all(len(key) == 16 for key in keys)
    assert all(one != two for one, two in combinations(keys, 2))
