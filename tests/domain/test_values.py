"""Values that are cheap to build are frozen dataclasses in everything but their haste."""

import pickle
from dataclasses import dataclass, field, replace

import pytest

from accounting.domain.values import quick


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    x: int
    y: int = 2
    path: list[int] = field(default_factory=list, compare=False)


def test_fields_have_their_values_and_defaults():
    point = Point(x=1)

    assert (point.x, point.y, point.path) == (1, 2, [])
    assert Point(x=1).path is not point.path


def test_a_type_is_made_quick_whichever_of_its_fields_have_defaults():
    @quick
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Line:
        color: str = "black"
        length: int
        points: list[Point] = field(default_factory=list)

    line = Line(length=3)
    assert (line.color, line.length, line.points) == ("black", 3, [])
    assert Line(length=3, color="red").color == "red"
    assert Line(length=3).points is not line.points
    for missing in ({}, {"color": "red"}):
        with pytest.raises(TypeError, match="length"):
            Line(**missing)
    with pytest.raises(TypeError, match="positional"):
        Line("red", 3)


def test_equal_values_are_equal_whatever_is_left_out_of_comparing():
    assert Point(x=1, path=[1]) == Point(x=1, path=[2])
    assert Point(x=1) != Point(x=2)
    assert hash(Point(x=1, path=[1])) == hash(Point(x=1))


def test_a_value_is_shown_replaced_and_sent_as_a_dataclass_is():
    assert repr(Point(x=1)) == "Point(x=1, y=2, path=[])".replace("Point", Point.__qualname__)
    assert replace(Point(x=1), y=5) == Point(x=1, y=5)
    assert pickle.loads(pickle.dumps(Point(x=1, y=3))) == Point(x=1, y=3)


@pytest.mark.parametrize("given", [{}, {"x": 1, "z": 2}])
def test_what_is_missing_or_unknown_is_refused(given):
    with pytest.raises(TypeError):
        Point(**given)


def test_there_are_no_other_fields():
    with pytest.raises(AttributeError):
        Point(x=1).z = 3


def test_what_looks_at_its_fields_is_not_made_quick():
    with pytest.raises(TypeError, match="Checked"):

        @quick
        @dataclass(frozen=True)
        class Checked:
            count: int

            def __post_init__(self):
                raise ValueError
