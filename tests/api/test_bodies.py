"""JSON bodies: texts that no answer and no table could hold are refused, never a 500."""

import json

import pytest

from tests.factories import OrganizationFactory, api_key

pytestmark = pytest.mark.django_db
HALF, NUL = "\\ud800", "\\u0000"
QUOTE = '"at": "2026-10-01T00:00:00Z", "usage": {"input_tokens": 1}'
CALL = '"jsonrpc": "2.0", "method": "tools/call"'


@pytest.fixture
def post(client):
    key = api_key(OrganizationFactory())

    def posted(path, body):
        headers = {"Authorization": f"Bearer {key}"}
        return client.post(path, body, content_type="application/json", headers=headers)

    return posted


@pytest.mark.parametrize("text", [HALF, NUL])
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("quote", '{"model": "%s", ' + QUOTE + "}"),
        ("quote", '{"model": "opal", "book": "%s", ' + QUOTE + "}"),
        ("quote", '{"model": "opal", "%s": 1, ' + QUOTE + "}"),
        ("estimate", '{"models": ["a/%s"]}'),
        ("estimate", '{"%s": "1"}'),
        ("estimate", '{"team": "%s"}'),
    ],
)
def test_a_question_with_half_a_character_or_a_nul_is_refused(post, path, body, text):
    answer = post(f"/api/v1/{path}", body.replace("%s", text))
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_body")
    assert "half a character" in answer.json()["detail"]


@pytest.mark.parametrize("text", [HALF, NUL])
@pytest.mark.parametrize(
    "body",
    [
        '{"jsonrpc": "2.0", "method": "ping", "id": "%s"}',
        '{"jsonrpc": "2.0", "method": "%s", "id": 1}',
        "{" + CALL + ', "id": 1, "params": {"name": "%s"}}',
        "{" + CALL + ', "id": 1, "params": {"name": "query_usage", "arguments": {"%s": 1}}}',
        "{" + CALL + ', "id": 1, "params": {"name": "query_usage", "arguments": {"group": "%s"}}}',
    ],
)
def test_a_message_with_half_a_character_or_a_nul_is_refused(post, body, text):
    answer = post("/mcp", body.replace("%s", text))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32700)
    assert answer.json()["id"] is None


def test_whole_pairs_are_characters(post):
    body = '{"jsonrpc": "2.0", "method": "ping", "id": "\\ud83d\\ude00"}'
    assert post("/mcp", body).json() == {"jsonrpc": "2.0", "id": "😀", "result": {}}


@pytest.mark.parametrize("path", ["/mcp", "/api/v1/estimate", "/api/v1/quote"])
@pytest.mark.parametrize(
    "body", ["{", "[" * 100_000, '{"a": NaN}', b'{"a": "\xed\xa0\x80"}', b"\xff"]
)
def test_what_is_no_json_is_refused_alike(post, path, body):
    answer = post(path, body)
    assert answer.status_code == 400
    found = json.loads(answer.content)
    code = found["error"]["code"] if path == "/mcp" else found["code"]
    assert code == (-32700 if path == "/mcp" else "bad_body")
