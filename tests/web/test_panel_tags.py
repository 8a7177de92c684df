"""What a panel writes by itself: its figure as JSON and the rows of its table."""

import json
import re
from fractions import Fraction

import pytest
from django.utils.html import json_script
from django.utils.translation import gettext_lazy

from accounting.web.panel_tags import chart_rows, figure_script
from accounting.web.panels import Cell, Panel, PanelRow

HOSTILE = '</script><b title="\'">&'


def panel(**more):
    cells = (Cell(text="1.00", exact="1"), Cell(text="0", exact="0"))
    rows = (
        PanelRow(name=HOSTILE, cells=cells, total=Cell(text="1.00", exact='1"')),
        PanelRow(name="b", cells=(), link="?a=1&b=2"),
    )
    return Panel(key="k", caption="", layers=(), rows=rows, figure={}, **more)


def test_a_figure_is_the_script_that_django_would_write():
    figure = {"data": [{"name": HOSTILE, "y": [0.1, None, 1e-9]}], "layout": {"a": True}}
    written = figure_script(figure, 'k"')
    told = re.compile(r"^<script id=\"k&quot;\" type=\"application/json\">([^<>&]*)</script>$")
    assert json.loads(told.match(written)[1]) == figure
    assert told.match(json_script(figure, 'k"'))


def test_names_in_the_table_beside_a_chart_are_text():
    first, second = chart_rows(panel(has_total=True)).split("</tr>")[:2]
    assert first == (
        '<tr><th scope="row">&lt;/script&gt;&lt;b title=&quot;&#x27;&quot;&gt;&amp;</th>'
        '<td class="num" title="1">1.00</td><td class="num" title="0">0</td>'
        '<td class="num" title="1&quot;">1.00</td>'
    )
    assert second == '<tr><th scope="row"><a href="?a=1&amp;b=2">b</a></th>'


def test_a_chart_without_sums_has_no_column_for_them():
    assert chart_rows(panel()).count("<td") == 2


def test_a_figure_holds_texts_that_are_translated_late_and_nothing_odd():
    assert '"x":"No"' in figure_script({"x": gettext_lazy("No")}, "k")
    with pytest.raises(TypeError):
        figure_script({"x": Fraction(1, 3)}, "k")
