"""One model under many spellings."""

import pytest

from accounting.domain.models_named import (
    index_of,
    listed_keys,
    model_keys,
    provider_in_name,
)
from accounting.domain.naming import provider_id
from accounting.domain.shelves import Alias
from tests.books import NOON, rate, rate_book, shelf, use

LISTED = ["claude-sonnet-4-5", "gpt-4o", "gpt-4o-2024-05-13", "gemini-2.5-pro", "free-one:free"]


@pytest.mark.parametrize(
    ("written", "listed"),
    [
        ("claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("Claude-Sonnet-4-5", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-latest", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5[1m]", "claude-sonnet-4-5"),
        ("claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("claude-4.5-sonnet", "claude-sonnet-4-5"),
        ("Auto: claude-4.5-sonnet", "claude-sonnet-4-5"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("openrouter/anthropic/claude-sonnet-4.5:beta", "claude-sonnet-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        (
            "arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "claude-sonnet-4-5",
        ),
        ("publishers/google/models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
        ("gpt-4o-20240513", "gpt-4o-2024-05-13"),
        ("gpt-4o-2024-11-20", "gpt-4o"),
        ("azure/gpt-4o", "gpt-4o"),
        ("gpt-4o-mini", None),
        ("gpt-4", None),
        ("gpt-4o:free", None),
        ("free-one", None),
        ("my-gpt-4o", None),
        ("auto", None),
        ("<synthetic>", None),
        ("", None),
    ],
)
def test_a_name_finds_its_model_and_never_another(written, listed):
    index = index_of(LISTED, {})
    assert next((index[key] for key in model_keys(written) if key in index), None) == listed


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        # The most specific first: as written, then without what stands around and behind it.
        ("Opal", ("opal",)),
        (" opal-2024-05-13 ", ("opal-2024-05-13", "opal-20240513", "opal")),
        ("opal@20240513", ("opal@20240513", "opal-2024-05-13", "opal-20240513", "opal")),
        ("openai/opal-latest", ("openai/opal-latest", "opal-latest", "openai/opal", "opal")),
        ("opal:nitro", ("opal:nitro", "opal")),
        ("opal-v2:0", ("opal-v2:0", "opal")),
        ("opal-v2", ("opal-v2", "opal")),
        ("opal.5", ("opal.5", "opal-5")),
        ("openrouter/openai/opal", ("openrouter/openai/opal", "opal")),
        ("openrouter/openai/a/b", ("openrouter/openai/a/b", "a/b")),
        ("openai/opal:nitro", ("openai/opal:nitro", "opal:nitro", "openai/opal", "opal")),
        ("claude-4-5-sonnet", ("claude-4-5-sonnet", "claude-sonnet-4-5")),
        ("somebody/opal", ("somebody/opal",)),
        ("somebody/openai/opal", ("somebody/openai/opal",)),
        ("", ()),
    ],
)
def test_the_names_a_model_may_stand_under(written, keys):
    assert model_keys(written) == keys


def test_a_listed_name_is_known_in_its_other_spellings():
    assert listed_keys(" Opal-1.5-v2:0 ") == (
        "opal-1.5-v2:0",
        "opal-1.5",
        "opal-1-5-v2:0",
        "opal-1-5",
    )


@pytest.mark.parametrize(
    ("names", "aliases", "key", "found"),
    [
        # A name as listed beats an alias, an alias beats a respelled name.
        (["Opal", "flint"], {"opal": "flint"}, "opal", "Opal"),
        (["opal.5", "flint"], {"opal-5": "flint"}, "opal-5", "flint"),
        (["opal.5", "opal-5"], {}, "opal-5", "opal-5"),
        (["opal.5"], {}, "opal-5", "opal.5"),
        (["opal"], {"pebble.5": "opal"}, "pebble.5", "opal"),
        (["opal"], {"pebble.5": "opal"}, "pebble-5", "opal"),
        # Of two names with one spelling the first by name.
        (["opal-5-v2", "opal-5-v1"], {}, "opal-5", "opal-5-v1"),
        (["opal", "flint"], {"a.b": "opal", "a-b-v1": "flint"}, "a-b", "flint"),
        (["opal"], {}, "flint", None),
    ],
)
def test_what_a_spelling_means(names, aliases, key, found):
    assert index_of(names, aliases).get(key) == found
    assert index_of(names[::-1], aliases).get(key) == found


@pytest.mark.parametrize(
    ("written", "provider"),
    [
        ("vertex_ai", "google"),
        ("openai", "openai"),
        ("gcp", "gcp"),
        (" Groq ", "groq"),
        ("gcp.vertex_ai", "google"),
        ("Bedrock", "aws"),
        ("azure.ai.openai", "azure"),
        ("openai.responses", "openai"),
        ("xai", "x-ai"),
        ("Somebody", "Somebody"),
        ("my.own.host", "my.own.host"),
    ],
)
def test_a_provider_has_one_name(written, provider):
    assert provider_id(written) == provider


def test_a_name_may_say_its_provider_itself():
    assert provider_in_name("openai/gpt-4o") == "openai"
    assert provider_in_name(" OpenRouter/openai/gpt-4o ") == "openrouter"
    assert provider_in_name("Qwen/Qwen3-8B") == ""
    assert provider_in_name("openai") == ""


def test_an_alias_of_the_organization_leads_to_another_providers_model():
    own = Alias(provider="azure", alias="our-deployment", model_provider="openai", model="gpt-4o")
    rates = rate("input", "2.5", provider="openai", model="gpt-4o")
    book = rate_book(shelves=[shelf(rates, aliases=[own])])
    rating = book.rate(
        use(provider="azure", response_model="our-deployment", input_tokens=1_000_000), NOON
    )
    assert (rating.cost, rating.provider, rating.model) == (2_500_000_000_000, "azure", "gpt-4o")


def test_a_record_without_provider_finds_only_what_the_organization_prices_for_one_provider():
    mine = shelf(rate("input", "1"), rate("input", "2", provider="other", model="flint"))
    everybodys = shelf(rate("input", "3", book_id=2, model="jade"), id=2, rank=(2,), own=False)
    book = rate_book(shelves=[mine, everybodys])
    states = [
        book.rate(use(provider="", response_model=model, input_tokens=1), NOON).state
        for model in ("opal", "flint", "jade")
    ]
    assert states == ["priced", "priced", "unpriced"]


def test_a_model_sold_by_two_providers_stays_unpriced_without_one():
    book = rate_book(rate("input", "1"), rate("input", "2", provider="other"))
    assert book.rate(use(provider="", input_tokens=1), NOON).state == "unpriced"


def test_the_model_that_answered_is_priced_not_the_one_asked_for():
    book = rate_book(rate("input", "1"), rate("input", "2", model="flint"))
    used = use(request_model="opal", response_model="flint", input_tokens=1_000_000)
    assert book.rate(used, NOON).cost == 2_000_000_000_000
