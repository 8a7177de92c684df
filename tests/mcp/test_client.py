"""The official client of MCP lists and calls the tools of a running server."""

import asyncio

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.factories import api_key
from tests.queries.posted import posted, priced_organization
from tests.serving import web_server

OCTOBER = {"from": "2026-10-01", "to": "2026-11-01"}


async def talk(url, key):
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport) as client:
            tools = await client.list_tools()
            names = [tool.name for tool in tools.tools]
            usage = await client.call_tool("query_usage", {**OCTOBER, "group": "model"})
            dimensions = await client.call_tool("list_dimensions", {"name": "model", **OCTOBER})
            estimate = await client.call_tool(
                "estimate_cost", {"credits": 2500, "models": ["testing/opal"]}
            )
            change = await client.call_tool("explain_change", OCTOBER)
            wrong = await client.call_tool("query_usage", {"group": "password"})
    return names, usage, dimensions, estimate, change, wrong


@pytest.mark.django_db(transaction=True)
def test_the_client_lists_and_calls_the_tools():
    organization = priced_organization()
    posted(organization, {"input_tokens": 1_000_000}, {"response_model": "jade"})
    key = api_key(organization)
    with web_server() as served:
        names, usage, dimensions, estimate, change, wrong = asyncio.run(
            talk(f"{served.url}/mcp", key)
        )
    assert names == ["query_usage", "list_dimensions", "estimate_cost", "explain_change"]
    assert [(row["group"], row["cost"]["USD"]) for row in usage.structured_content["rows"]] == [
        ("jade", "0.00045"),
        ("opal", "0.50000075"),
    ]
    assert [row["value"] for row in dimensions.structured_content["rows"]] == ["jade", "opal"]
    (opal,) = estimate.structured_content["models"]
    assert opal["buys"]["input_tokens"] == 5_000_000
    assert change.structured_content["rows"][0]["difference"] == "0.50045075"
    assert wrong.is_error
    assert "unknown_group" in wrong.content[0].text
