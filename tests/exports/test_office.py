"""LibreOffice opens exported files: Chinese headings, numbers as numbers, no formula run."""

import subprocess
from datetime import date
from decimal import Decimal
from pathlib import Path

import openpyxl
import pytest

from accounting.exports.tables import AMOUNT, COUNT, DAY, Column, Table
from accounting.exports.text_files import BYTE_ORDER_MARK, csv_pieces
from accounting.exports.workbooks import write_workbook

pytestmark = pytest.mark.slow
OFFICE = Path("/usr/bin/soffice")
NEEDED = "this test needs LibreOffice: apt-get install -y libreoffice-calc-nogui"
#: Comma, quotes, UTF-8, from the first line, no formats, texts quoted as needed, cells as they are.
AS_CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false"
#: What its window has chosen already for a file with the mark; without a window it must be told.
AS_UTF_8 = "--infilter=Text - txt - csv (StarCalc):44,34,76"
COLUMNS = (
    Column(name="bucket", kind=DAY),
    Column(name="model"),
    Column(name="input_tokens", kind=COUNT),
    Column(name="cost_USD", kind=AMOUNT),
)
ROWS = (
    (date(2026, 10, 1), "=1+1", 1_234_567, Decimal("0.000000525")),
    (date(2026, 10, 2), "通义千问", None, Decimal("12345.678")),
    (date(2026, 10, 3), "@SUM(C2:C3)", 0, Decimal("-3.5")),
)


def table():
    return Table(name="usage", columns=COLUMNS, rows=iter(ROWS))


def converted(path, to, *, read_as=()):
    """The file as LibreOffice writes it after it has opened it."""
    if not OFFICE.exists():
        pytest.fail(NEEDED)
    out = path.parent / "converted"
    profile = f"-env:UserInstallation=file://{path.parent}/profile"
    subprocess.run(
        [OFFICE, "--headless", profile, *read_as, "--convert-to", to, "--outdir", out, path],
        check=True,
        capture_output=True,
        timeout=240,
    )
    (found,) = out.iterdir()
    return found


def test_a_workbook_opens_with_its_headings_texts_and_numbers(tmp_path):
    path = tmp_path / "usage.xlsx"
    write_workbook(table(), path, "zh-hans")
    assert converted(path, AS_CSV).read_text(encoding="utf-8-sig").splitlines() == [
        "时段,模型,输入 Token,费用 USD",
        "2026-10-01,'=1+1,1234567,0.000000525",
        "2026-10-02,通义千问,,12345.678",
        "2026-10-03,'@SUM(C2:C3),0,-3.50",
    ]


def test_a_csv_opens_with_its_headings_texts_and_numbers(tmp_path):
    path = tmp_path / "usage.csv"
    path.write_text(BYTE_ORDER_MARK + "".join(csv_pieces(table(), "zh-hans")), encoding="utf-8")
    sheet = openpyxl.load_workbook(converted(path, "xlsx", read_as=[AS_UTF_8])).active
    assert [[cell.value for cell in row[1:]] for row in sheet] == [
        ["模型", "输入 Token", "费用 USD"],
        ["'=1+1", 1_234_567, 5.25e-07],
        ["通义千问", None, 12345.678],
        ["'@SUM(C2:C3)", 0, -3.5],
    ]
    assert sheet["A1"].value == "时段"
