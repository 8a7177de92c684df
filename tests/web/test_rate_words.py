"""When a price holds and why it was taken, in the reader's words."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.utils import translation

from accounting.domain.price_lints import Finding
from accounting.queries.price_rows import PriceRow
from accounting.web.rate_words import conditions_of, doubt, reasons_of


def price(**more):
    return PriceRow(
        **{
            "id": 1,
            "book": "own",
            "currency": "USD",
            "provider": "acme",
            "model": "opal",
            "unit": "input",
            "price": Decimal(1),
            "per": 1_000_000,
            "effective_from": datetime(2026, 1, 1, tzinfo=UTC),
            "effective_to": None,
            "input_gt": None,
            "conditions": {},
            "window": "",
            "priority": 0,
            "source": "",
            "note": "",
            "version": 1,
            **more,
        }
    )


@pytest.mark.parametrize(
    ("more", "english", "chinese"),
    [
        ({}, "", ""),
        ({"input_gt": 200_000}, "more than 200,000 input tokens", "输入超过 200,000 Token"),
        (
            {"conditions": {"service_tier": "flex", "processing": "batch"}},
            "processing is batch, service tier is flex",
            "处理方式为 batch，服务等级为 flex",
        ),
        ({"conditions": {"colour": "red"}}, "colour is red", "colour为 red"),
        (
            {"window": "MoTuWeThFr 16:30-00:30 UTC"},
            "Mon–Fri 16:30–00:30 (UTC)",
            "周一–周五 16:30–00:30 (UTC)",
        ),
        (
            {"window": "MoSu 00:00-08:00 Asia/Shanghai"},
            "Mon, Sun 00:00–08:00 (Asia/Shanghai)",
            "周一，周日 00:00–08:00 (Asia/Shanghai)",
        ),
        ({"window": "whenever"}, "whenever", "whenever"),
    ],
)
def test_conditions_read_in_the_language(more, english, chinese):
    with translation.override("en"):
        assert conditions_of(price(**more)) == english
    with translation.override("zh-hans"):
        assert conditions_of(price(**more)) == chinese


@pytest.mark.parametrize(
    ("more", "english", "chinese"),
    [
        ({}, "names acme/opal", "指定模型 acme/opal"),
        ({"provider": ""}, "names opal", "指定模型 opal"),
        ({"model": ""}, "all models of acme", "acme 的所有模型"),
        (
            {"model": "", "provider": "", "priority": 3, "conditions": {"region": "eu"}},
            "priority 3, any model, region is eu",
            "优先级 3，任何模型，区域为 eu",
        ),
    ],
)
def test_reasons_read_in_the_language(more, english, chinese):
    with translation.override("en"):
        assert reasons_of(price(**more)) == english
    with translation.override("zh-hans"):
        assert reasons_of(price(**more)) == chinese


def test_a_doubt_about_a_price_says_in_the_language_what_it_is():
    found = Finding(code="gap", provider="acme", model="opal", unit="input", message="from a to b")
    assert doubt(found) == "from a to b"
    with translation.override("zh-hans"):
        assert doubt(found) == "两个价格之间有若干天没有价格（from a to b）"
