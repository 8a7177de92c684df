"""The MCP endpoint: messages, tools as questions of REST, and who may ask."""

import json

import pytest

from accounting.api.mcp_protocol import VERSIONS
from accounting.services.tenants import create_api_key
from tests.factories import MembershipFactory, ProjectFactory, api_key
from tests.queries.posted import posted, priced_organization, project_of

pytestmark = pytest.mark.django_db
OCTOBER = {"from": "2026-10-01", "to": "2026-11-01"}


@pytest.fixture
def organization():
    return priced_organization()


@pytest.fixture
def send(client, organization):
    """Post a message with a valid key, or another one; the answer."""
    own = api_key(organization)

    def sent(message, key=own, **headers):
        body = message if isinstance(message, (str, bytes)) else json.dumps(message)
        given = {"Authorization": f"Bearer {key}", **headers}
        return client.post("/mcp", body, content_type="application/json", headers=given)

    return sent


@pytest.fixture
def call(send):
    """Call a tool; its result."""

    def called(tool, /, **arguments):
        params = {"name": tool, "arguments": arguments}
        answer = send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        assert answer.status_code == 200
        return answer.json()["result"]

    return called


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        *((version, version) for version in VERSIONS),
        ("1999-01-01", VERSIONS[-1]),
        (None, VERSIONS[-1]),
        (7, VERSIONS[-1]),
        ([], VERSIONS[-1]),
    ],
)
def test_both_sides_agree_on_a_version(send, asked, agreed):
    params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "x"}}
    answer = send({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": params}).json()
    assert (answer["id"], answer["jsonrpc"]) == ("a", "2.0")
    assert answer["result"]["protocolVersion"] == agreed
    assert answer["result"]["capabilities"] == {"tools": {}}


def test_what_wants_no_answer_gets_none(send):
    for message in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 3, "result": {}},
    ):
        answer = send(message)
        assert (answer.status_code, answer.content) == (202, b"")


@pytest.mark.parametrize(
    ("message", "status", "code"),
    [
        ("{", 400, -32700),
        ("[" * 5_000, 400, -32700),
        ("[]", 400, -32600),
        ("1", 400, -32600),
        ({"id": 1, "method": "ping"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": [], "method": "ping"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1e3, "method": "ping"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "server/discover"}, 200, -32601),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call"}, 200, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": []}}, 200, -32602),
    ],
)
def test_a_message_that_is_none_is_told_what_is_wrong(send, message, status, code):
    answer = send(message)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_a_version_that_nobody_agreed_on_is_refused(send):
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert send(message, **{"MCP-Protocol-Version": "1999-01-01"}).status_code == 400
    assert send(message, **{"MCP-Protocol-Version": VERSIONS[0]}).status_code == 200


def test_tools_only_read(send):
    answer = send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).json()
    tools = answer["result"]["tools"]
    names = [tool["name"] for tool in tools]
    assert names == ["query_usage", "list_dimensions", "estimate_cost", "explain_change"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools)


def test_usage_is_what_rest_answers(client, organization, call):
    posted(organization, {"input_tokens": 1_000_000}, {"response_model": "jade"})
    result = call("query_usage", **OCTOBER, group="model", filters={"model": ["opal", "ruby"]})
    headers = {"X-Api-Key": api_key(organization, name="other")}
    params = {**OCTOBER, "group": "model", "model": ["opal", "ruby"], "limit": "50"}
    rest = client.get("/api/v1/usage", params, headers=headers).json()
    assert result["structuredContent"] == json.loads(result["content"][0]["text"]) == rest
    assert [row["cost"] for row in rest["rows"]] == [{"USD": "0.50000075"}]


def test_answers_have_a_bound_and_go_on_behind_it(organization, call):
    posted(organization, *({"response_model": f"m{n}"} for n in range(5)))
    first = call("query_usage", **OCTOBER, group="model", limit=3)["structuredContent"]
    assert [row["group"] for row in first["rows"]] == ["m0", "m1", "m2"]
    rest = call("query_usage", **OCTOBER, group="model", limit=3, cursor=first["next"])
    assert [row["group"] for row in rest["structuredContent"]["rows"]] == ["m3", "m4"]
    for limit in (0, 201, -1, "1e9"):
        assert call("query_usage", limit=limit)["isError"]


def test_dimensions_and_their_values_are_listed(organization, call):
    posted(organization, {"place": {"tags": (("env", "prod"),)}})
    names = [row["name"] for row in call("list_dimensions", **OCTOBER)["structuredContent"]["rows"]]
    assert {"model", "team", "tag:env"} <= set(names)
    values = call("list_dimensions", name="tag:env", **OCTOBER)["structuredContent"]["rows"]
    assert [(row["value"], row["requests"]) for row in values] == [("prod", 1)]
    assert call("list_dimensions", name="password")["isError"]


def test_an_estimate_takes_amounts_digit_for_digit(send):
    body = (
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "estimate_cost",'
        ' "arguments": {"money": 0.100000000000000001, "models": ["testing/opal"]}}}'
    )
    found = send(body).json()["result"]["structuredContent"]
    assert found["budget"]["amount"] == "0.100000000000000001"
    assert [one["model"] for one in found["models"]] == ["opal"]


def test_a_change_is_explained_by_parts_that_sum_to_it(organization, call):
    posted(organization, {"input_tokens": 2_000_000})
    (row,) = call("explain_change", **OCTOBER)["structuredContent"]["rows"]
    assert (row["before"], row["after"], row["difference"]) == ("0", "1.00000075", "1.00000075")


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("query_usage", {"group": "password"}, "unknown_group"),
        ("query_usage", {"group": 'x" --'}, "unknown_group"),
        ("query_usage", {"filters": {"org__apikeys__hash": "x"}}, "unknown_parameter"),
        ("query_usage", {"filters": {"model~": "x" * 201}}, "bad_value"),
        ("query_usage", {"filters": ["model"]}, "filters: expected an object"),
        ("query_usage", {"filters": {"model": [["a"]]}}, "expected a text"),
        ("query_usage", {"password": "x"}, "'password' is no argument here"),
        ("query_usage", {"cursor": "forged"}, "bad_cursor"),
        (
            "query_usage",
            {"from": "2020-01-01", "to": "2099-01-01", "bucket": "hour"},
            "too_many_points",
        ),
        ("explain_change", {"compare": "none"}, "nothing_compared"),
        ("estimate_cost", {"money": "1", "credits": "1"}, "credits_and_money"),
    ],
)
def test_a_wrong_question_is_told_to_the_model_that_asked(call, name, arguments, said):
    result = call(name, **arguments)
    assert result["isError"]
    assert said in result["content"][0]["text"]


def test_keys_scopes_and_projects_are_those_of_rest(client, organization, send):
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    answer = client.post("/mcp", json.dumps(message), content_type="application/json")
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert (
        send(message, key=api_key(organization, scopes=["ingest"], name="pushing")).status_code
        == 403
    )
    client.force_login(MembershipFactory(organization=organization).user)
    answer = client.post("/mcp", json.dumps(message), content_type="application/json")
    assert answer.status_code == 401
    own, other = project_of(organization), ProjectFactory(organization=organization)
    posted(organization, {"input_tokens": 2}, {"project_id": other.pk, "input_tokens": 5})
    limited = create_api_key(
        organization_id=organization.pk,
        project_id=own.pk,
        name="limited",
        scopes=["read"],
        is_limited=True,
    )
    params = {"name": "query_usage", "arguments": OCTOBER}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    found = send(asked, key=limited).json()["result"]["structuredContent"]
    assert found["totals"]["input_tokens"] == 2


def test_there_are_no_streams_and_no_sessions(client, organization):
    headers = {"X-Api-Key": api_key(organization)}
    for answer in (client.get("/mcp", headers=headers), client.delete("/mcp", headers=headers)):
        assert answer.status_code == 405
        assert answer.headers["Allow"].split(", ")[0] == "POST"
