"""Lists of prices that others publish, and books written out and read again."""

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from accounting.models import Organization, Rate
from accounting.queries.price_export import exported_csv, exported_json
from accounting.services import builtin_refresh
from accounting.services.pricebooks import Author, import_table
from tests.books import NOON, use

START = datetime(2026, 1, 1, tzinfo=UTC)
LITELLM = {
    "sample_spec": {"input_cost_per_token": 0, "litellm_provider": "one of …"},
    "gpt-x": {
        "litellm_provider": "openai",
        "mode": "chat",
        "max_tokens": 4096,
        "input_cost_per_token": 1.25e-06,
        "output_cost_per_token": 1e-05,
        "cache_read_input_token_cost": 1.25e-07,
        "input_cost_per_token_above_272k_tokens": 2.5e-06,
        "input_cost_per_token_batches": 6.25e-07,
        "input_cost_per_token_above_272k_tokens_flex": 1.25e-06,
        "search_context_cost_per_query": {
            "search_context_size_low": 0.01,
            "search_context_size_high": 0.01,
        },
        "off_peak_pricing": {"hours_utc": "16-24"},
    },
    "openai/gpt-x": {"litellm_provider": "openai", "input_cost_per_token": 9e-06},
    "xai/grok-x": {
        "litellm_provider": "xai",
        "input_cost_per_token": 3e-06,
        "input_cost_per_token_above_128k_tokens": 6e-06,
    },
    "vertex_ai/claude-x": {
        "litellm_provider": "vertex_ai-anthropic_models",
        "cache_creation_input_token_cost_above_1hr_above_200k_tokens": 1.2e-05,
        "input_cost_per_token": 3e-06,
    },
    "qwen-x": {
        "litellm_provider": "dashscope",
        "tiered_pricing": [
            {"range": [0, 256000.0], "input_cost_per_token": 5e-08},
            {"range": [256e3, 1e6], "input_cost_per_token": 2.5e-07, "moon_cost": 1},
        ],
    },
}
OPENROUTER = {
    "data": [
        {
            "id": "openai/gpt-x",
            "pricing": {
                "prompt": "0.00000125",
                "completion": "0.00001",
                "input_cache_read": "0.000000125",
                "internal_reasoning": "0",
                "image": "0.004",
                "web_search": "0.01",
                "request": "0",
                "overrides": [
                    {"min_prompt_tokens": 200000, "prompt": "0.0000025"},
                    {"utc_start": "16:00", "utc_end": "00:00", "prompt": "0.000001"},
                ],
                "discount": 0.1,
            },
        },
        {"id": "openrouter/auto", "pricing": {"prompt": "-1", "completion": "-1"}},
    ]
}
RATIOS = {
    "success": True,
    "data": {
        "model_ratio": {"gpt-x": 0.625, "lonely": 1},
        "completion_ratio": {"gpt-x": 8},
        "cache_ratio": {"gpt-x": 0.1},
        "audio_ratio": {"gpt-x": 16},
        "audio_completion_ratio": {"gpt-x": 2},
        "model_price": {"painter": 0.04},
        "group_ratio": {"vip": 0.8},
    },
}


@pytest.fixture
def feed(organization):
    def take_feed(document, confirmed=True):
        return import_table(
            json.dumps(document).encode(),
            organization=organization,
            start=START,
            by=Author(confirmed=confirmed),
        )

    return take_feed


def prices(model):
    """unit, band, conditions, window and price of the rows of a model."""
    return {
        (
            row.unit,
            row.input_gt,
            *row.conditions.items(),
            *([str(row.window_from)] if row.window_from else []),
        ): row.price
        for row in Rate.objects.filter(model__name=model, superseded_version=None)
    }


def left_out(changed):
    return {left.what: left.example for left in changed.left_out}


def test_litellms_map_comes_with_its_bands_and_tiers(feed):
    changed = feed(LITELLM)
    assert changed.books == ("litellm",)
    assert prices("gpt-x") == {
        ("input", None): Decimal("1.25"),
        ("output", None): Decimal(10),
        ("input.cache_read", None): Decimal("0.125"),
        ("input", 272_000): Decimal("2.5"),
        ("input", None, ("processing", "batch")): Decimal("0.625"),
        ("input", 272_000, ("service_tier", "flex")): Decimal("1.25"),
        ("web_searches", None): Decimal(10),
    }
    assert prices("grok-x")["input", 127_999] == Decimal(6)
    assert prices("claude-x")["input.cache_write.1h", 200_000] == Decimal(12)
    assert prices("qwen-x") == {
        ("input", None): Decimal("0.05"),
        ("input", 256_000): Decimal("0.25"),
    }
    providers = set(Rate.objects.values_list("model__provider", flat=True))
    assert providers == {"openai", "x-ai", "google", "dashscope"}
    assert left_out(changed) == {
        "off_peak_pricing": "gpt-x",
        "another spelling with other prices": "openai/gpt-x",
        "tiered_pricing moon_cost": "qwen-x",
    }


def test_the_same_feed_a_month_later_changes_nothing(feed, organization):
    feed(LITELLM)
    later = datetime(2026, 2, 1, tzinfo=UTC)
    again = import_table(
        json.dumps(LITELLM).encode(),
        organization=organization,
        start=later,
        by=Author(confirmed=True),
    )
    assert (again.version, again.rates.touched) == (None, 0)


def test_openrouters_list_comes_with_overrides_and_discount(feed):
    changed = feed(OPENROUTER)
    assert prices("openai/gpt-x") == {
        ("input", None): Decimal("1.25"),
        ("output", None): Decimal(10),
        ("input.cache_read", None): Decimal("0.125"),
        ("web_searches", None): Decimal(10),
        ("input", 199_999): Decimal("2.5"),
        ("input", None, "16:00:00"): Decimal(1),
    }
    assert left_out(changed) == {
        "image": "openai/gpt-x",
        "a price that depends on the route": "openrouter/auto",
    }
    book = _rates(Organization.objects.get())
    asked = use(provider="openrouter", response_model="openai/gpt-x", input_tokens=1_000)
    assert book.rate(asked, NOON).cost == 1_125_000_000  # a tenth less
    long = use(provider="openrouter", response_model="openai/gpt-x", input_tokens=200_000)
    assert book.rate(long, NOON).cost == 450_000_000_000


def test_new_apis_ratios_become_prices(feed):
    changed = feed(RATIOS)
    assert prices("gpt-x") == {
        ("input", None): Decimal("1.25"),
        ("output", None): Decimal(10),
        ("input.cache_read", None): Decimal("0.125"),
        ("input.audio", None): Decimal(20),
        ("output.audio", None): Decimal(40),
    }
    assert prices("painter") == {("requests", None): Decimal(40)}  # per thousand
    assert left_out(changed) == {"group_ratio": "vip", "output: no completion_ratio": "lonely"}


def test_new_apis_price_page_is_read_like_its_settings(feed):
    feed(
        {
            "data": [
                {"model_name": "gpt-x", "quota_type": 0, "model_ratio": 0.625,
                 "completion_ratio": 8, "model_price": 0},
                {"model_name": "painter", "quota_type": 1, "model_ratio": 0, "model_price": 0.04},
            ]
        }
    )  # fmt: skip
    assert prices("gpt-x") == {("input", None): Decimal("1.25"), ("output", None): Decimal(10)}
    assert prices("painter") == {("requests", None): Decimal(40)}


def _rates(organization):
    from accounting.queries.prices import loaded_rates

    return loaded_rates(organization.pk)


WHOLE = {
    "book": {"code": "own", "currency": "CNY", "kind": "contract", "name": "Ours"},
    "rates": [
        {"provider": "testing", "model": "opal", "unit": "input", "price": "3", "from": "2026-01-01",
         "to": "2026-07-01", "service_tier": "flex", "input_gt": "1000", "priority": "2",
         "window": {"zone": "Asia/Shanghai", "from": "09:00", "to": "12:30", "weekdays": "mon-fri"},
         "note": "a, \"quoted\" note"},
        {"provider": "testing", "model": "opal", "unit": "output", "price": "0.000000123456789012",
         "from": "2026-01-01", "tier_mode": "graduated", "tiers": "1000:2; 5000:1"},
        {"provider": "", "model": "*", "unit": "requests", "price": "0.5", "from": "2026-01-01",
         "per": "1"},
    ],
}  # fmt: skip


@pytest.mark.parametrize("export", [exported_json, exported_csv])
def test_a_book_written_out_makes_the_same_book(organization, export):
    by = Author(confirmed=True)
    import_table(json.dumps(WHOLE).encode(), organization=organization, by=by)
    written = export(organization.pk, "own")
    other = Organization.objects.create(slug="b", name="B", currency="EUR", time_zone="UTC")
    changed = import_table(written.encode(), organization=other, by=by)
    assert changed.rates.added == 3
    assert export(other.pk, "own") == written
    assert import_table(written.encode(), organization=organization, by=by).version is None


def test_tiers_show_in_the_list(organization, run):
    import_table(json.dumps(WHOLE).encode(), organization=organization, by=Author(confirmed=True))
    shown = run("list", "--at", "2026-03-01T00:00:00Z")
    assert "graduated 1000:2; 5000:1" in shown


def test_multipliers_are_written_out_as_json_alone(organization, run):
    table = {
        "book": {"code": "own", "currency": "CNY"},
        "multipliers": [
            {"provider": "testing", "factor": "1.1", "stack_group": "margin", "from": "2026-01-01"}
        ],
    }
    import_table(json.dumps(table).encode(), organization=organization)
    assert json.loads(run("export", "--book", "own"))["multipliers"][0]["factor"] == "1.1"
    for wrong, code in ((("own", "--format", "csv"), 1), (("other",), 2)):
        with pytest.raises(CommandError) as refused:
            run("export", "--book", *wrong)
        assert refused.value.returncode == code


@pytest.fixture
def run(organization, capsys):
    def run_command(*arguments):
        try:
            call_command("prices", *arguments, "--organization", "acme")
        finally:
            run_command.out = capsys.readouterr().out
        return run_command.out

    return run_command


def test_prices_that_look_wrong_are_taken_in_once_confirmed(run, organization, tmp_path):
    rows = [{**WHOLE["rates"][1], "price": "20000", "tier_mode": "", "tiers": ""}]
    path = tmp_path / "dear.json"
    path.write_text(json.dumps({**WHOLE, "rates": rows}))
    with pytest.raises(CommandError, match="not confirmed"):
        run("import", str(path))
    assert "magnitude  testing/opal  output: 20000 per million" in run.out
    assert not Rate.objects.exists()
    assert "1 rates added" in run("import", str(path), "--confirm")


def test_the_installed_list_is_compared_and_taken_in_when_accepted(
    organization, monkeypatch, capsys
):
    from accounting.services import builtin_prices

    call_command("prices", "builtin")
    call_command("prices", "refresh", "--json")
    assert '"is_current": true' in capsys.readouterr().out.splitlines()[-1]
    for module in (builtin_prices, builtin_refresh):
        monkeypatch.setattr(module, "list_digest", lambda: "another edition")
    gone = Rate.objects.filter(model__name="gpt-5", unit="input", conditions={}).first()
    Rate.objects.filter(pk=gone.pk).update(price=Decimal(99))
    call_command("prices", "refresh")
    shown = capsys.readouterr().out
    assert "openai/gpt-5  input  99 -> 1.25 per 1000000" in shown
    assert "1 prices differ. Nothing was changed" in shown
    assert builtin_prices.load_builtin().version is None
    call_command("prices", "refresh", "--accept")
    assert Rate.objects.filter(pk=gone.pk, superseded_version=None).count() == 0
