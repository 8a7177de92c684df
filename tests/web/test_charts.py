"""Figures from numbers."""

from decimal import Decimal

import pytest
from django.utils import translation
from plotly import graph_objects as go

from accounting.web.axes import Buckets, from_zero, round_steps
from accounting.web.charts import GHOST, OTHER, Layer, colours, lines, stacked_bars
from accounting.web.ticks import count_ticks, ticks_of

DAYS = Buckets(names=("29 Nov 2026", "30 Nov 2026"), labels=("29 Nov", "30 Nov"), unfinished=1)


def drawn(name="gpt-5"):
    layers = [
        Layer(name=name, colour=3, amounts=(Decimal(4), Decimal(1))),
        Layer(name="Other", colour=OTHER, amounts=(Decimal(2), Decimal(0))),
    ]
    return stacked_bars(DAYS, layers, lambda amount: f"{amount:f} tokens")


def test_a_bar_for_each_bucket_of_each_layer():
    assert [trace["y"] for trace in drawn()["data"]] == [[4.0, 1.0], [2.0, 0.0]]


@pytest.mark.parametrize("draw", [stacked_bars, lines])
def test_plotly_knows_every_property_and_would_draw_the_same(draw):
    layers = [
        Layer(name="gpt-5", colour=3, amounts=(Decimal(4), None)),
        Layer(name="Other", colour=OTHER, amounts=(Decimal(2), Decimal(0))),
    ]
    ghost = Layer(name="Compared with", colour=GHOST, amounts=(Decimal(3), None))
    drawing = draw(DAYS, layers, str, ghost=ghost)
    assert len(drawing["data"]) == 3
    told = go.Figure(drawing).to_plotly_json()
    assert told["data"] == drawing["data"]
    assert told["layout"] | {"template": None} == drawing["layout"] | {"template": None}


def test_the_unfinished_bucket_is_hatched():
    assert drawn()["data"][0]["marker"]["pattern"]["shape"] == ["", "/"]


def test_a_hover_reads_what_was_made_beforehand():
    assert drawn()["data"][0]["customdata"] == ["4 tokens", "1 tokens"]


def test_the_axis_may_be_written_shorter_than_the_hover():
    layers = [Layer(name="gpt-5", colour=3, amounts=(Decimal(4), Decimal(1)))]
    drawing = stacked_bars(
        DAYS, layers, lambda n: f"{n:f} tokens", lambda steps: [f"{step:f} t" for step in steps]
    )
    assert drawing["layout"]["yaxis"]["ticktext"] == ["0 t", "1 t", "2 t", "3 t", "4 t"]
    assert drawing["data"][0]["customdata"] == ["4 tokens", "1 tokens"]


def test_a_name_with_markup_is_text_in_the_chart():
    trace = drawn("<b>x</b>")["data"][0]
    assert trace["name"] == "&lt;b&gt;x&lt;/b&gt;"


def test_an_entity_keeps_its_colour_whatever_stands_beside_it():
    models = ("claude-sonnet-4-5", "gpt-5", "gemini-2.5-pro", "gpt-5-mini", "harbor-32b")
    alone = {model: colours([model])[model] for model in models}
    assert colours(models) == alone
    assert len(set(alone.values())) == 5
    assert colours([*models, "gpt-4.1"]) == {**alone, "gpt-4.1": 5, "gpt-5-mini": "5b"}


def test_what_shares_a_colour_is_told_apart_by_its_shades():
    many = colours(f"model-{number}" for number in range(30))
    assert len(set(many.values())) == 30
    assert {str(colour)[1:] for colour in many.values()} == {"", "b", "c"}


@pytest.mark.parametrize(
    ("highest", "steps"),
    [
        ("0", ["0"]),
        ("1", ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        ("0.192177", ["0", "0.05", "0.10", "0.15", "0.20"]),
        ("80660", ["0", "20000", "40000", "60000", "80000", "100000"]),
    ],
)
def test_steps_of_an_axis_are_round(highest, steps):
    assert round_steps(Decimal(highest)) == [Decimal(step) for step in steps]


@pytest.mark.parametrize(
    ("highest", "ticks"), [(1, [0, 1]), (2, [0, 1, 2]), (7, [0, 2, 4, 6, 8]), (0, [0])]
)
def test_an_axis_of_counts_has_whole_numbers_each_once(highest, ticks):
    axis = from_zero(Decimal(highest), count_ticks)
    assert axis["tickvals"] == ticks
    assert axis["ticktext"] == [str(tick) for tick in ticks]


@pytest.mark.parametrize(
    ("language", "metric", "highest", "texts"),
    [
        ("en", "input_tokens", 900, ["0", "200", "400", "600", "800", "1,000"]),
        ("en", "input_tokens", 5_800, ["0", "2,000", "4,000", "6,000"]),
        ("en", "input_tokens", 1_400_000, ["0", "0.5M", "1.0M", "1.5M"]),
        ("zh-hans", "input_tokens", 14_000, ["0", "0.5万", "1.0万", "1.5万"]),
        ("zh-hans", "input_tokens", 180_000_000, ["0", "0.5亿", "1.0亿", "1.5亿", "2.0亿"]),
        ("en", "cost", "0.014", ["0.000 USD", "0.005 USD", "0.010 USD", "0.015 USD"]),
        ("en", "cost", 35, ["0.00 USD", "10.00 USD", "20.00 USD", "30.00 USD", "40.00 USD"]),
        (
            "en",
            "cost",
            900_000,
            ["0 USD", "0.2M USD", "0.4M USD", "0.6M USD", "0.8M USD", "1.0M USD"],
        ),
        ("zh-hans", "cost", 1_400_000, ["0 USD", "50万 USD", "100万 USD", "150万 USD"]),
        ("en", "credits", 3, ["0.00", "1.00", "2.00", "3.00"]),
        ("en", "cache_hit_rate", 1, ["0.0 %", "20.0 %", "40.0 %", "60.0 %", "80.0 %", "100.0 %"]),
    ],
)
def test_the_steps_of_an_axis_are_written_in_one_unit(language, metric, highest, texts):
    with translation.override(language):
        axis = from_zero(Decimal(highest), ticks_of(metric, "USD"))
    assert axis["ticktext"] == texts
