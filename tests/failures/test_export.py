"""Kind EXPORT of the collected failures: cells that a spreadsheet would run as formulas."""

import pytest

from accounting.exports.neutral import neutral


def test_b293_a_project_named_like_a_formula_is_text_in_a_sheet():
    assert neutral('=HYPERLINK("http://x","y")') == '\'=HYPERLINK("http://x","y")'


@pytest.mark.parametrize("name", ["\t=1+1", " =1+1", "\r=1+1", "@x", "+1", "-1+2"])
def test_b295_whatever_stands_before_the_trigger_lets_none_pass(name):
    assert neutral(name) == f"'{name}"
