"""The built-in list."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from accounting.models import ModelAlias, PriceBook, PriceVersion, Rate
from accounting.queries.prices import loaded_rates
from accounting.services import builtin_prices
from accounting.services.builtin_prices import load_builtin
from accounting.services.listed_prices import snap
from tests.books import use

NOVEMBER = datetime(2026, 11, 25, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def listed(django_db_setup, django_db_blocker):
    """Loads the list once for this module and takes it away again."""
    with django_db_blocker.unblock():
        loaded = load_builtin()
        yield loaded
        Rate.objects.filter(book__organization=None).delete()
        ModelAlias.objects.filter(organization=None).delete()
        PriceBook.objects.filter(organization=None).delete()
        PriceVersion.objects.filter(organization=None).delete()


def test_the_list_is_loaded_once(listed, db):
    before = Rate.objects.count()
    assert load_builtin().version is None
    assert Rate.objects.count() == before == listed.added
    assert before > 7_000


def test_another_edition_supersedes_only_what_it_says_otherwise(listed, db, monkeypatch):
    monkeypatch.setattr(builtin_prices, "list_digest", lambda: "another edition")
    Rate.objects.filter(
        model__provider="openai", model__name="gpt-5", unit="input", conditions={}
    ).update(price=Decimal("9.99"))
    again = load_builtin(accept=True)
    assert (again.added, again.superseded, again.aliases) == (1, 1, 0)


@pytest.mark.parametrize(
    ("provider", "model", "named"),
    [
        ("anthropic", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("anthropic", "claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("anthropic", "claude-opus-4-6", "claude-opus-4-6"),
        ("openai", "gpt-4o-2024-08-06", "gpt-4o"),
        ("azure", "gpt-4o-2024-08-06", "gpt-4o"),
        ("vertex_ai", "claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        (
            "bedrock",
            "us.anthropic.claude-haiku-4-5-20251001-v1:0",
            "regional.anthropic.claude-haiku-4-5-20251001-v1:0",
        ),
        (
            "bedrock",
            "global.anthropic.claude-haiku-4-5-20251001-v1:0",
            "global.anthropic.claude-haiku-4-5-20251001-v1:0",
        ),
        ("openrouter", "openai/gpt-4o", "openai/gpt-4o"),
        ("gemini", "models/gemini-2.5-pro", "gemini-2.5-pro"),
    ],
)
def test_names_in_logs_find_their_listed_model(listed, organization, provider, model, named):
    rates = loaded_rates(organization.pk)
    rating = rates.rate(use(provider=provider, response_model=model, input_tokens=1), NOVEMBER)
    assert (rating.state, rating.model) == ("priced", named)


def test_another_providers_model_of_the_same_name_is_never_taken(listed, organization):
    rates = loaded_rates(organization.pk)
    used = use(provider="somebody", response_model="gpt-4o", input_tokens=1)
    assert rates.rate(used, NOVEMBER).state == "unpriced"


def test_a_session_of_an_agent_with_an_advisor_and_two_searches(listed, organization):
    rates = loaded_rates(organization.pk)
    uses = [
        use(
            response_model="claude-sonnet-4-5-20250929",
            input_tokens=20_000,
            cache_read_input_tokens=15_000,
            cache_write_input_tokens=2_000,
            cache_write_1h_input_tokens=1_000,
            output_tokens=500,
            web_search_requests=2,
        ),
        use(response_model="claude-haiku-4-5-20251001", input_tokens=1_000, output_tokens=200),
        use(response_model="claude-opus-4-6", input_tokens=3_000, output_tokens=100),
    ]
    costs = [
        rates.rate(used.__class__(**{**_fields(used), "provider": "anthropic"}), NOVEMBER).cost
        for used in uses
    ]
    # 3,000 × 3 + 15,000 × 0.3 + 1,000 × 3.75 + 1,000 × 6 + 500 × 15 per million, and 0.02.
    assert costs == [50_750_000_000, 2_000_000_000, 17_500_000_000]


def _fields(used):
    return {name: getattr(used, name) for name in used.__slots__}


@pytest.mark.parametrize(
    ("listed_price", "snapped"),
    [
        ("0.18000000000000002", "0.18"),
        ("1.0399999999999998", "1.04"),
        ("0.08333333333333334", "0.0833333333333"),
        ("0.003625", "0.003625"),
        ("30", "30"),
    ],
)
def test_the_tail_of_a_binary_fraction_is_cut_off(listed_price, snapped):
    assert snap(Decimal(listed_price)) == Decimal(snapped)
