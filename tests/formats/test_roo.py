"""Roo Code's tasks: what the input includes depends on the protocol."""

from decimal import Decimal

from tests.formats.folders import read_folder
from tests.formats.reading import Books, refused, totals


def test_totals_are_right():
    assert totals(Books.of(read_folder("roo"))) == (4, 8745, 7400, 200, 142, None)


def test_the_protocol_decides_whether_cached_tokens_are_input():
    outcomes = list(read_folder("roo"))
    inclusive, disjoint = (o.records[0].use.counts.input_tokens for o in outcomes[1:3])
    assert (inclusive, disjoint) == (4000, 3725)


def test_condensing_is_a_cost_and_no_request():
    (cost,) = (o.records[0] for o in list(read_folder("roo"))[3:4])
    assert (cost.identity.part, cost.use.reported_cost) == (1, Decimal("0.0007"))


def test_without_a_protocol_nobody_guesses():
    outcomes = list(read_folder("roo"))
    assert refused(outcomes) == [(5, "unknown_convention")]
    certain, uncached = (o.records[0].use.counts.input_tokens for o in outcomes[5:7])
    assert (certain, uncached) == (950, 70)
