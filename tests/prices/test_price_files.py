"""Price tables as people write them."""

import json
from datetime import UTC, datetime, time
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from accounting.domain.errors import BadRateError
from accounting.domain.rates import Tiers, Window
from accounting.services.price_files import BookRow, read_table

RATE = {"provider": "testing", "model": "opal", "unit": "input", "price": "3", "from": "2026-01-01"}


def read(content):
    if not isinstance(content, bytes):
        content = json.dumps(content).encode()
    return read_table(content, zone=ZoneInfo("Asia/Shanghai"), currency="CNY", credit_kind="credit")


def read_rate(**fields):
    ((_, (row,)),) = read({"book": {"code": "own"}, "rates": [RATE | fields]}).books
    return row


def test_a_rate_is_read_to_the_digit():
    row = read_rate(price="0.000000123456789012")
    assert row.price == Decimal("0.000000123456789012")
    assert (row.provider, row.model, row.unit, row.per) == ("testing", "opal", "input", 1_000_000)


def test_a_date_begins_at_the_local_midnight_and_an_instant_where_it_says():
    assert read_rate().effective_from == datetime(2025, 12, 31, 16, tzinfo=UTC)
    written = read_rate(**{"from": "2026-01-01T09:30:00+01:00"})
    assert written.effective_from == datetime(2026, 1, 1, 8, 30, tzinfo=UTC)


def test_the_books_begin_with_2020_wherever_their_zone_is():
    assert read_rate(**{"from": "2020-01-01"}).effective_from == datetime(2020, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "tiers", [[{"above": 1000, "price": "2"}, {"above": 5000, "price": 1}], "1000:2; 5000:1"]
)
def test_tiers_are_read_from_a_list_and_from_text(tiers):
    row = read_rate(tier_mode="graduated", tiers=tiers)
    assert row.tiers == Tiers(mode="graduated", steps=((1_000, Decimal(2)), (5_000, Decimal(1))))


def test_numbers_never_pass_through_binary_fractions():
    ((_, (row,)),) = read(
        b'{"book":{"code":"own"},"rates":[{"provider":"p","model":"m","unit":"input","price":0.1,'
        b'"from":"2026-01-01"}]}'
    ).books
    assert row.price == Decimal("0.1")


def test_calls_are_priced_per_thousand_unless_the_row_says_otherwise():
    assert read_rate(unit="web_searches").per == 1_000
    assert read_rate(unit="web_searches", per=1).per == 1


def test_conditions_bands_and_windows_are_read():
    row = read_rate(
        service_tier="Flex",
        input_gt=200_000,
        window={"zone": "Asia/Shanghai", "from": "09:00", "to": "12:00", "weekdays": "mon-fri"},
        to="2026-07-01T00:00:00+08:00",
    )
    assert row.conditions == (("service_tier", "flex"),)
    assert row.input_gt == 200_000
    assert row.window == Window(
        zone="Asia/Shanghai", start=time(9), end=time(12), weekdays=0b0011111
    )
    assert row.effective_to == datetime(2026, 6, 30, 16, tzinfo=UTC)


def test_a_star_is_any_model():
    assert read_rate(model="*").model == ""


def test_a_provider_is_read_under_its_one_name():
    assert read_rate(provider="vertex_ai").provider == "google"


def test_csv_has_one_rate_a_row_and_may_name_several_books():
    table = read(
        b"book,currency,provider,model,unit,price,per,from,to,service_tier\r\n"
        b"one,USD,testing,opal,input,3,,2026-01-01,,\r\n"
        b"one,USD,testing,opal,output,15,1000,2026-01-01,2026-07-01,flex\r\n"
        b"two,CNY,testing,opal,input,20,,2026-01-01,,\r\n"
    )
    assert [book for book, _ in table.books] == [
        BookRow(code="one", currency="USD"),
        BookRow(code="two", currency="CNY"),
    ]
    (_, (first, second)), _ = table.books
    assert (first.per, second.per) == (1_000_000, 1_000)
    assert second.conditions == (("service_tier", "flex"),)


def test_a_credit_rate_starts_at_the_local_midnight_and_takes_the_organizations_own_words():
    (row,) = read({"credit_rates": [{"price": "0.001", "from": "2026-01-01"}]}).credit_rates
    assert (row.what, row.currency) == ("credit", "CNY")
    assert row.effective_from == datetime(2025, 12, 31, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"price": "-3"}, r"rates\[0\]: '-3' is no amount"),
        ({"price": "1e-7"}, "is no amount"),
        ({"price": "NaN"}, "is no amount"),
        ({"price": ""}, "price is missing"),
        ({"unit": "inptu"}, "unit = 'inptu', expected one of input"),
        ({"from": ""}, "from is missing"),
        ({"from": "01/02/2026"}, "expected an ISO 8601 date"),
        ({"from": "2026-01-01T00:00:00"}, "has no offset"),
        ({"from": "1999-01-01"}, "outside 2020 to 2099"),
        ({"tiers": "1000:2"}, "tier_mode = '', expected volume or graduated"),
        ({"tier_mode": "volume", "tiers": "1000"}, "price is missing"),
        ({"tier_mode": "volume", "tiers": [{"over": 5}]}, "a tier has no 'over'"),
        ({"tier_mode": "volume", "tiers": True}, "tiers is no list"),
        ({"per": "a lot"}, "expected a whole number"),
        ({"servicetier": "flex"}, "a rate has no 'servicetier'"),
        ({"model": ["opal"]}, "expected a text"),
        ({"model": "x" * 201}, "longer than 200"),
        ({"model": "a\0b"}, "model holds a NUL character"),
        ({"window": {"zone": "UTC", "from": "09:00"}}, "window_to is missing"),
        ({"window": {"zone": "UTC", "from": "9", "to": "x"}}, "expected a time like 09:30"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(fields, said):
    with pytest.raises(BadRateError, match=said):
        read_rate(**fields)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "no JSON"),
        (b'{"rates": [{"price": NaN}]}', "NaN is no number"),
        (b"\xff\xfe", "not UTF-8"),
        (b'["x"]', "expected an object"),
        (b'{"rate": []}', "the table has no 'rate'"),
        (b'{"rates": [1]}', r"rates\[0\]: expected an object"),
        (b"provider,model\nx,y,z\n", "row 2 has more fields"),
        (b"provider,model,unit,price,from\nx,y,input,1,2026-01-01\n", "row 2: code is missing"),
    ],
)
def test_a_file_that_is_no_price_table_is_refused(content, said):
    with pytest.raises(BadRateError, match=said):
        read(content)


CREDIT = {"kind": "credit", "currency": "CNY", "price": "0.001", "from": "2026-01-01"}


@pytest.mark.parametrize(
    ("table", "place"),
    [
        ({"book": {"code": "own", "currency": "RMB"}, "rates": [RATE]}, r"book: 'RMB' is no curr"),
        ({"credit_rates": [CREDIT, CREDIT | {"currency": "XYZ"}]}, r"credit_rates\[1\]: 'XYZ'"),
        ({"credit_rates": [CREDIT | {"kind": "USD"}]}, r"credit_rates\[0\]: 'USD' is a currency"),
        (
            {
                "fx_rates": [
                    {
                        "from_currency": "EUR",
                        "to_currency": "YEN",
                        "rate": "7",
                        "from": "2026-01-01",
                    }
                ]
            },
            r"fx_rates\[0\]: 'YEN' is no currency: expected ISO 4217",
        ),
        (
            {"book": {"code": "own", "currency": "POINTS"}, "rates": [RATE]},
            r"credit kind \(CREDIT\)",
        ),
    ],
)
def test_a_currency_that_does_not_exist_is_refused_with_its_place(table, place):
    with pytest.raises(BadRateError, match=place):
        read(table)


def test_a_currency_of_a_csv_is_refused_with_its_row():
    rows = b"book,currency,provider,model,unit,price,from\n" + b"".join(
        b"own,%b,testing,opal,input,3,2026-0%d-01\n" % (currency, month)
        for month, currency in enumerate((b"CNY", b"CNX"), start=1)
    )
    with pytest.raises(BadRateError, match="row 3: 'CNX' is no currency"):
        read(rows)


def test_a_book_may_be_in_a_kind_of_credit_that_is_known():
    points = CREDIT | {"kind": "points"}
    table = read({"book": {"code": "own", "currency": "POINTS"}, "credit_rates": [points]})
    assert table.books[0][0].currency == "POINTS"
    known = read_table(
        b'{"book": {"code": "own", "currency": "codex"}}',
        zone=ZoneInfo("UTC"),
        currency="CNY",
        credit_kind="credit",
        kinds=["codex"],
    )
    assert known.books[0][0].currency == "CODEX"


def csv_rates(*spans):
    lines = [f"own,CNY,testing,opal,input,{price},{start},{end}" for price, start, end in spans]
    return "\n".join(["book,currency,provider,model,unit,price,from,to", *lines]).encode()


@pytest.mark.parametrize(
    ("spans", "words"),
    [
        (
            [("3", "2026-01-01", "2026-12-31"), ("4", "2026-06-01", "2026-08-01")],
            (
                "row 2 and row 3: testing/opal input from 2025-12-31T16:00:00\\+00:00 lasts to"
                " 2026-12-30T16:00:00\\+00:00, but another begins on 2026-05-31T16:00:00"
            ),
        ),
        ([("4", "2026-06-01", ""), ("3", "2026-01-01", "2026-12-31")], "row 3 and row 2: .* lasts"),
        (
            [("3", "2026-01-01", "2026-02-01"), ("4", "2026-01-01", "")],
            "row 2 and row 3: .* two va",
        ),
    ],
)
def test_rows_that_overlap_are_refused_by_both_their_places(spans, words):
    with pytest.raises(BadRateError, match=words):
        read(csv_rates(*spans))


def test_overlaps_are_found_in_lists_and_across_documents_too():
    spring = RATE | {"to": "2026-07-01"}
    summer = RATE | {"from": "2026-06-01", "price": "4"}
    book = {"code": "own"}
    with pytest.raises(BadRateError, match=r"rates\[0\] and rates\[1\]: testing/opal input"):
        read({"book": book, "rates": [spring, summer]})
    with pytest.raises(BadRateError, match=r"rates\[0\] and rates\[0\]"):
        read([{"book": book, "rates": [spring]}, {"book": book, "rates": [summer]}])
    with pytest.raises(BadRateError, match=r"credit_rates\[0\] and credit_rates\[1\]: credit in"):
        read(
            {
                "credit_rates": [
                    CREDIT | {"to": "2026-09-01"},
                    CREDIT | {"from": "2026-08-01", "price": "0.002"},
                ]
            }
        )


@pytest.mark.parametrize(
    "spans",
    [
        [("3", "2026-01-01", ""), ("4", "2026-06-01", "")],
        [("3", "2026-01-01", "2026-06-01"), ("4", "2026-06-01", "2026-08-01")],
        [("3", "2026-01-01", "2026-03-01"), ("4", "2026-06-01", "")],
        [("3", "2026-01-01", "2026-03-01"), ("3", "2026-01-01", "2026-03-01")],
    ],
)
def test_rows_that_follow_each_other_are_fine(spans):
    ((_, rows),) = read(csv_rates(*spans)).books
    assert len(rows) == 2


def test_other_conditions_books_and_units_do_not_meet():
    long = RATE | {"to": "2026-12-01"}
    batch = RATE | {"from": "2026-06-01", "processing": "batch"}
    output = RATE | {"from": "2026-06-01", "unit": "output"}
    first = {"book": {"code": "own"}, "rates": [long, batch, output]}
    second = {"book": {"code": "other"}, "rates": [RATE | {"from": "2026-06-01"}]}
    assert len(read([first, second]).books) == 2


def test_a_table_that_is_no_csv_is_refused():
    with pytest.raises(BadRateError, match="no CSV"):
        read(b'book,currency\n"own,' + b"x" * 140_000)
