"""Tables as files of each format."""

import json
import re
import sys
import zipfile
from datetime import date, datetime, time
from decimal import Decimal
from io import BytesIO, StringIO

import openpyxl
import pyarrow.parquet
import pytest

from accounting.exports import parquet_files, workbooks
from accounting.exports.files import FORMATS, Begun
from accounting.exports.neutral import neutral
from accounting.exports.tables import AMOUNT, COUNT, DAY, Column, Table
from accounting.exports.text_files import csv_pieces, json_pieces
from accounting.exports.usage import usage_export
from accounting.exports.workbooks import TooManyRowsError, write_workbook
from tests.factories import OrganizationFactory, UsageHourFactory
from tests.queries.asking import wanted

FORMULA = '=HYPERLINK("http://x","y")'
COLUMNS = (
    Column(name="bucket", kind=DAY),
    Column(name="model"),
    Column(name="input_tokens", kind=COUNT),
    Column(name="cost_USD", kind=AMOUNT),
)
#: A cost that a binary fraction of 16 digits holds, and one that none does.
SHORT, LONG = Decimal("0.000000525"), Decimal("12345.678901234567")
ROWS = ((date(2026, 10, 1), FORMULA, 7, SHORT), (date(2026, 10, 2), "组织", None, LONG))


def table(*rows):
    return Table(name="usage", columns=COLUMNS, rows=iter(rows or ROWS))


@pytest.mark.parametrize(
    "text",
    ["=1+1", "\t=1+1", " =1+1", "\r=1+1", "\n@x", "@x", "+1", "-1+2", "\tx", "＝1+1", "\u3000=1"],
)
def test_what_a_spreadsheet_would_run_is_neutralised(text):
    assert neutral(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "claude-sonnet", "a=b", "1+1", "组织"])
def test_other_texts_stay(text):
    assert neutral(text) == text


def day(*numbers):
    """A day as a workbook's cell is read back: its first moment."""
    return datetime.combine(date(*numbers), time())


def test_a_workbook_holds_numbers_days_texts_and_no_formula(tmp_path):
    path = tmp_path / "usage.xlsx"
    write_workbook(table(), path)
    with zipfile.ZipFile(path) as book:
        cells = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in cells
    assert re.search(r"<v>5\.25E-0?7</v>", cells)
    sheet = openpyxl.load_workbook(path)["usage"]
    assert [[cell.value for cell in row] for row in sheet] == [
        ["bucket", "model", "input_tokens", "cost_USD"],
        [day(2026, 10, 1), f"'{FORMULA}", 7, 5.25e-07],
        [day(2026, 10, 2), "组织", None, 12345.67890123457],
    ]


def test_an_amount_of_more_digits_than_a_spreadsheet_has_stands_exactly_beside(tmp_path):
    path = tmp_path / "usage.xlsx"
    write_workbook(table(), path)
    exact = openpyxl.load_workbook(path)["exact"]
    assert [[cell.value for cell in row] for row in exact] == [
        ["cell", "column", "amount"],
        ["D3", "cost_USD", "12345.678901234567"],
    ]
    write_workbook(table(ROWS[0]), path)
    assert openpyxl.load_workbook(path).sheetnames == ["usage"]


def test_more_rows_than_a_sheet_holds_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(workbooks, "MOST_ROWS", 1)
    with pytest.raises(TooManyRowsError, match="at most 1 rows"):
        write_workbook(table(), tmp_path / "usage.xlsx")


def test_a_text_longer_than_a_cell_is_cut(tmp_path):
    path = tmp_path / "usage.xlsx"
    write_workbook(table((None, "x" * 40_000, None, None)), path)
    assert openpyxl.load_workbook(path)["usage"]["B2"].value == "x" * 32_767


def test_json_keeps_texts_and_digits_as_they_are():
    found = json.loads("".join(json_pieces(table())))
    assert found["rows"] == [
        {
            "bucket": "2026-10-01",
            "model": FORMULA,
            "input_tokens": 7,
            "cost_USD": "0.000000525",
        },
        {
            "bucket": "2026-10-02",
            "model": "组织",
            "input_tokens": None,
            "cost_USD": "12345.678901234567",
        },
    ]
    empty = Table(name="usage", columns=COLUMNS, rows=iter(()))
    assert json.loads("".join(json_pieces(empty)))["rows"] == []


def test_parquet_keeps_every_digit(tmp_path):
    path = tmp_path / "usage.parquet"
    parquet_files.write_parquet(table(), path)
    assert pyarrow.parquet.read_table(path).to_pylist() == [
        {
            "bucket": date(2026, 10, 1),
            "model": FORMULA,
            "input_tokens": 7,
            "cost_USD": SHORT,
        },
        {"bucket": date(2026, 10, 2), "model": "组织", "input_tokens": None, "cost_USD": LONG},
    ]


def test_without_the_extra_parquet_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(parquet_files.NoParquetError, match="--extra parquet"):
        parquet_files.write_parquet(table(), tmp_path / "usage.parquet")


@pytest.mark.parametrize(
    ("language", "header"),
    [
        ("", "bucket,model,input_tokens,cost_USD"),
        ("en", "Period,Model,Input tokens,Cost USD"),
        ("zh-hans", "时段,模型,输入 Token,费用 USD"),
    ],
)
def test_headings_are_in_the_language_that_is_asked_for(language, header):
    assert "".join(csv_pieces(table(), language)).splitlines()[0] == header


def test_a_csv_neutralises_texts_and_keeps_every_digit():
    assert "".join(csv_pieces(table())).splitlines()[1:] == [
        '2026-10-01,"\'=HYPERLINK(""http://x"",""y"")",7,0.000000525',
        "2026-10-02,组织,,12345.678901234567",
    ]


def test_a_csv_goes_out_in_pieces_of_few_rows():
    rows = ((date(2026, 10, 1), "m" * 90, n, SHORT) for n in range(10_000))
    pieces = list(csv_pieces(table(*rows)))
    assert len(pieces) > 10
    assert max(map(len, pieces)) < 70_000
    assert "".join(pieces).count("\n") == 10_001


@pytest.mark.django_db
def test_files_begin_with_the_mark_by_which_excel_knows_utf_8():
    first = next(FORMATS["csv"].pieces(table, "zh-hans"))
    assert first.startswith("\ufeff时段".encode())


@pytest.mark.django_db
def test_an_answer_that_nobody_takes_leaves_no_file_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    begun = Begun(FORMATS["xlsx"].pieces(table, ""))
    assert len(list(tmp_path.iterdir())) == 1
    begun.close()
    assert list(tmp_path.iterdir()) == []
    whole = b"".join(Begun(FORMATS["xlsx"].pieces(table, "")))
    assert openpyxl.load_workbook(BytesIO(whole)).sheetnames == ["usage", "exact"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.django_db
def test_csv_of_usage_keeps_every_digit_and_leaves_the_unknown_empty():
    organization = OrganizationFactory()
    UsageHourFactory(
        organization=organization,
        model=FORMULA,
        input_tokens=7,
        output_tokens=2,
        cost=Decimal("0.000000525"),
    )
    UsageHourFactory(organization=organization, model="b", currency="CNY", cost=Decimal("0.48"))
    file = StringIO(
        "".join(csv_pieces(usage_export(wanted(organization, group="model", bucket="day"))))
    )
    header, first, second = file.getvalue().splitlines()
    assert header == (
        "bucket,model,requests,errors,input_tokens,uncached_input_tokens,cache_read_input_tokens,"
        "cache_write_input_tokens,output_tokens,reasoning_output_tokens,cache_hit_rate,"
        "input_output_ratio,cost_CNY,cost_USD,cost_base,credits,unpriced_requests,unpriced_tokens,"
        "assumed_requests"
    )
    assert first == (
        '2026-10-01,"\'=HYPERLINK(""http://x"",""y"")",1,0,7,7,,,2,,,3.5,,0.000000525,0.000000525,0,0,0,0'
    )
    assert second == "2026-10-01,b,1,0,,,,,,,,,0.48,,0.48,0,0,0,0"
