"""Tables as spreadsheets."""

import re
import zipfile
from decimal import Decimal
from io import StringIO

import pytest

from accounting.queries.sheets import neutral, usage_sheet, write_csv, write_xlsx
from accounting.queries.spend import usage_table
from tests.factories import OrganizationFactory, UsageHourFactory
from tests.queries.asking import wanted

FORMULA = '=HYPERLINK("http://x","y")'


@pytest.mark.parametrize(
    "text",
    ["=1+1", "\t=1+1", " =1+1", "\r=1+1", "\n@x", "@x", "+1", "-1+2", "\tx", "＝1+1", "\u3000=1"],
)
def test_what_a_spreadsheet_would_run_is_neutralised(text):
    assert neutral(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "claude-sonnet", "a=b", "1+1", "组织"])
def test_other_texts_stay(text):
    assert neutral(text) == text


@pytest.fixture
def sheet(db):
    organization = OrganizationFactory()
    UsageHourFactory(
        organization=organization,
        model=FORMULA,
        input_tokens=7,
        output_tokens=2,
        cost=Decimal("0.000000525"),
    )
    UsageHourFactory(organization=organization, model="b", currency="CNY", cost=Decimal("0.48"))
    return usage_sheet(usage_table(wanted(organization, group="model", bucket="day")))


def test_csv_keeps_every_digit_and_leaves_the_unknown_empty(sheet):
    file = StringIO()
    write_csv(sheet, file)
    header, first, second = file.getvalue().splitlines()
    assert header == (
        "bucket,model,requests,errors,input_tokens,uncached_input_tokens,cache_read_input_tokens,"
        "cache_write_input_tokens,output_tokens,reasoning_output_tokens,cache_hit_rate,"
        "input_output_ratio,cost_CNY,cost_USD,credits,unpriced_requests,unpriced_tokens,"
        "assumed_requests"
    )
    assert first == (
        '2026-10-01,"\'=HYPERLINK(""http://x"",""y"")",1,0,7,7,,,2,,,3.5,,0.000000525,0,0,0,0'
    )
    assert second == "2026-10-01,b,1,0,,,,,,,,,0.48,,0,0,0,0"


def test_xlsx_holds_numbers_and_no_formula(sheet, tmp_path):
    path = tmp_path / "usage.xlsx"
    write_xlsx(sheet, str(path))
    with zipfile.ZipFile(path) as book:
        cells = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in cells
    assert "'=HYPERLINK" in cells
    assert re.search(r"<v>5\.25E-0?7</v>", cells)
