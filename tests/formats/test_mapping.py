"""A table of no known format: nothing in it is guessed, what its mapping says is done."""

from decimal import Decimal

import pytest

from ingest.formats.base import Options
from ingest.formats.cutting import Cut, Layout, items_of
from ingest.formats.mapping import BadMappingError, mapped_format, mapping_from
from tests.formats.reading import MIDNIGHT, Books, refused, totals

CHINESE = {
    "name": "团队导出",
    "columns": {
        "started_at": "时间",
        "model": "模型",
        "input_tokens": "输入",
        "cache_read_input_tokens": "缓存命中",
        "output_tokens": "输出",
        "reported_cost": "费用",
        "duration": "耗时",
        "user_id": "用户",
        "status": "状态",
    },
    "fixed": {"provider": "deepseek"},
    "convention": "disjoint",
    "time": "%Y/%m/%d %H:%M",
    "zone": "Asia/Shanghai",
    "duration_unit": "s",
    "currency": "CNY",
    "statuses": {"成功": "ok", "失败": "error"},
    "empty": ["-"],
}
TABLE = """\
时间,模型,输入,缓存命中,输出,费用,耗时,用户,状态
2026/4/7 08:30,deepseek-chat,100,900,50,0.0012,1.5,小明,成功
2026/4/7 08:31,deepseek-chat,-,-,-,-,-,小明,失败
2026/4/7 08:32,deepseek-chat,7,0,1,0,0.1,小红,排队
2026/4/7 25:00,deepseek-chat,7,0,1,0,0.1,小红,成功
"""


def read(definition, body, layout=Layout.CSV):
    known = mapped_format(mapping_from(definition))
    text = body.encode()
    header, _, rest = text.partition(b"\n") if layout is Layout.CSV else (b"", b"", text)
    cut = Cut(first_line=2 if header else 1, offset=len(header), body=rest, header=header)
    options = Options(assumed_time=MIDNIGHT)
    return list(known.read(items_of(cut, layout), options, known.new_state()))


def changed(**changes):
    return {**CHINESE, **changes}


def test_a_table_with_chinese_headers_is_read_as_its_mapping_says():
    outcomes = read(CHINESE, TABLE)
    books = Books.of(outcomes)
    assert totals(books) == (1, 1000, 900, None, 50, None)
    assert books.errors == 1
    assert refused(outcomes) == [(4, "unknown_status"), (5, "bad_time")]
    first = outcomes[0].records[0]
    assert first.place.started_at.isoformat() == "2026-04-07T00:30:00+00:00"
    assert (first.use.provider, first.use.model) == ("deepseek", "deepseek-chat")
    assert (first.use.reported_cost, first.use.reported_currency) == (Decimal("0.0012"), "CNY")
    assert (first.use.duration_ms, first.place.user_id) == (1500.0, "小明")


def test_the_convention_decides_what_the_input_is():
    inclusive = read(changed(convention="inclusive"), TABLE.replace(",100,", ",1000,"))
    assert totals(Books.of(inclusive)) == (1, 1000, 900, None, 50, None)
    assert refused(read(changed(convention="inclusive"), TABLE))[0] == (2, "bad_count")


def test_equal_rows_are_two_requests_and_reading_again_adds_none():
    once = TABLE.splitlines(keepends=True)
    twice = "".join([once[0], once[1], once[1]])
    assert len(Books.of(read(CHINESE, twice)).events) == 2
    assert len(Books.of(read(CHINESE, twice) + read(CHINESE, twice)).events) == 2


JSON = {
    "columns": {"started_at": "t", "model": "m", "input_tokens": "in", "request_id": "id"},
    "time": "epoch_ms",
    "fixed": {"project": "shop"},
}


def test_json_lines_are_read_by_the_same_mapping():
    body = '{"t":1775548800123,"m":"gpt-5.2","in":12.0,"id":"a","x":{"y":1}}\n{"t":"x","m":"m","in":1}\n'
    outcomes = read(JSON, body, Layout.JSONL)
    (first,) = outcomes[0].records
    assert first.place.started_at.isoformat() == "2026-04-07T08:00:00.123000+00:00"
    assert first.identity.gateway_request_id == "a"
    assert first.use.counts.input_tokens == 12
    assert outcomes[0].project == "shop"
    assert refused(outcomes) == [(2, "bad_time")]


@pytest.mark.parametrize(
    ("time", "zone", "cell", "expected"),
    [
        ("iso", "", "2026-04-07T10:00:00+02:00", "2026-04-07T08:00:00+00:00"),
        ("iso", "Europe/Berlin", "2026-04-07 10:00:00", "2026-04-07T08:00:00+00:00"),
        ("iso", "Europe/Berlin", "2026-04-07T08:00:00Z", "2026-04-07T08:00:00+00:00"),
        ("epoch_s", "", "1775548800.5", "2026-04-07T08:00:00.500000+00:00"),
        ("epoch_s", "", "1775548800.001001", "2026-04-07T08:00:00.001001+00:00"),
        ("epoch_s", "", "1775548800.123456789", "2026-04-07T08:00:00.123456+00:00"),
        ("epoch_ms", "", "1775548800123.009", "2026-04-07T08:00:00.123009+00:00"),
        ("epoch_us", "", "1775548800000001", "2026-04-07T08:00:00.000001+00:00"),
        ("epoch_us", "", "1775548800000001.9", "2026-04-07T08:00:00.000001+00:00"),
        ("%d.%m.%Y %H:%M:%S", "Europe/Berlin", "07.04.2026 10:00:00", "2026-04-07T08:00:00+00:00"),
        ("%Y年%m月%d日 %H:%M", "Asia/Shanghai", "2026年4月7日 16:00", "2026-04-07T08:00:00+00:00"),
    ],
)
def test_times_are_read_in_the_unit_and_zone_that_are_said(time, zone, cell, expected):
    definition = {**JSON, "time": time, "zone": zone}
    (outcome,) = read(definition, f"t,m,in,id\n{cell},m,1,a\n")
    assert outcome.records[0].place.started_at.isoformat() == expected


@pytest.mark.parametrize(
    ("time", "cell"),
    [
        ("iso", "2026-04-07 10:00:00"),
        ("iso", "1775548800"),
        ("epoch_s", "1775548800000"),
        ("epoch_ms", "1775548800"),
        ("epoch_s", "١٧٧٥٥٤٨٨٠٠"),
        ("epoch_s", "99999999999999999999"),
        ("iso", ""),
    ],
)
def test_a_time_that_leaves_its_unit_or_zone_open_is_rejected(time, cell):
    outcomes = read({**JSON, "time": time}, f"t,m,in,id\n{cell},m,1,a\n")
    assert len(refused(outcomes)) == 1


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        ([], "an object"),
        ({"colums": {}}, "'colums'"),
        (changed(columns={"prompt": "x"}), "'prompt'"),
        (changed(columns={"model": "m", "input_tokens": "i"}), "started_at"),
        (changed(columns={"started_at": "t", "model": "m"}), "input_tokens"),
        (changed(convention=""), "convention"),
        (changed(convention="both"), "convention"),
        (changed(time=""), "time"),
        (changed(time="unix"), "time"),
        (changed(zone=""), "zone"),
        (changed(zone="Mars/Base"), "zone"),
        (changed(duration_unit=""), "duration_unit"),
        (changed(currency=""), "currency"),
        (changed(currency="yuan"), "currency"),
        (changed(statuses={}), "statuses"),
        (changed(statuses={"成功": "fine"}), "statuses"),
        (changed(fixed={"model": "x"}), "model"),
        (changed(empty="-"), "empty"),
        (changed(columns={**CHINESE["columns"], "reasoning_output_tokens": "思考"}), "reasoning"),
    ],
)
def test_a_mapping_that_leaves_something_open_says_what(definition, words):
    with pytest.raises(BadMappingError) as error:
        mapping_from(definition)
    assert words in str(error.value)


def test_separate_reasoning_is_added_to_the_output():
    columns = {**JSON["columns"], "output_tokens": "out", "reasoning_output_tokens": "think"}
    definition = {**JSON, "columns": columns, "reasoning": "separate"}
    outcomes = read(definition, "t,m,in,id,out,think\n1775548800123,m,1,a,10,5\n")
    assert totals(Books.of(outcomes)) == (1, 1, None, None, 15, 5)
