"""OpenAI's own SDK reads usage and costs from a running server by its base_url."""

from datetime import datetime
from decimal import Decimal

import openai
import pytest

from accounting.queries.spend import usage_totals
from tests.factories import api_key
from tests.openai_shape.test_answers import DAY_S, OCTOBER_1
from tests.queries.asking import wanted
from tests.queries.posted import posted, priced_organization
from tests.serving import web_server


@pytest.mark.django_db(transaction=True)
def test_the_sdk_reads_usage_and_costs_page_by_page():
    organization = priced_organization()
    for day in range(1, 11):
        posted(
            organization,
            {"input_tokens": 1_000_000, "cache_read_input_tokens": 400_000},
            {"response_model": "jade", "output_tokens": 20},
            at=datetime.fromisoformat(f"2026-10-{day:02}T12:00Z"),
        )
    key = api_key(organization)
    end = OCTOBER_1 + 10 * DAY_S
    with web_server() as served:
        client = openai.OpenAI(admin_api_key=key, base_url=f"{served.url}/openai/v1", max_retries=0)
        usage = client.admin.organization.usage

        def pages(ask, **params):
            found = ask(start_time=OCTOBER_1, end_time=end, limit=4, **params)
            while True:
                yield from found.data
                if not found.has_more:
                    return
                found = ask(
                    start_time=OCTOBER_1, end_time=end, limit=4, page=found.next_page, **params
                )

        buckets = list(pages(usage.completions, group_by=["model"], models=["opal", "jade"]))
        costs = list(pages(usage.costs, group_by=["line_item"]))
        with pytest.raises(openai.BadRequestError, match="expected project_id, user_id"):
            usage.completions(start_time=OCTOBER_1, group_by=["batch"])
        stranger = openai.OpenAI(
            admin_api_key="tb_wrong", base_url=f"{served.url}/openai/v1", max_retries=0
        )
        with pytest.raises(openai.AuthenticationError, match="unknown, expired or revoked"):
            stranger.admin.organization.usage.costs(start_time=OCTOBER_1)
    assert len(buckets) == len(costs) == 10
    results = [result for bucket in buckets for result in bucket.results]
    totals = usage_totals(wanted(organization))
    assert sum(result.input_tokens for result in results) == totals.input_tokens == 10_001_000
    assert sum(result.input_cached_tokens or 0 for result in results) == 4_000_000
    assert sum(result.num_model_requests for result in results) == totals.requests == 20
    amounts = [result.amount for bucket in costs for result in bucket.results]
    assert {amount.currency for amount in amounts} == {"usd"}
    # The SDK reads amounts as floats; their shortest texts are the digits that were sent.
    total = sum(Decimal(repr(amount.value)) for amount in amounts)
    assert total == totals.cost_in("USD")
