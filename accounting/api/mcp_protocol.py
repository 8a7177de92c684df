"""The part of MCP that a read-only server without sessions needs: one JSON-RPC message, one answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounting.api.bodies import json_in
from accounting.api.mcp_tools import TOOLS, BadArgumentsError, Tool
from accounting.queries.filters import FilterError

#: Versions of the protocol, the newest last. What is used of it is the same in all.
VERSIONS = ("2025-03-26", "2025-06-18", "2025-11-25")
PARSE_ERROR, INVALID_REQUEST = -32700, -32600
METHOD_NOT_FOUND, INVALID_PARAMS = -32601, -32602
INSTRUCTIONS = (
    "The books of an organization's language-model usage: every request counted once and priced"
    " exactly. Read only. Start with list_dimensions; query_usage answers most questions."
)
_BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}


class _Fraction(str):
    """A number that is not whole, as its text: an amount must not become a binary fraction."""

    __slots__ = ()


class RpcError(Exception):
    """A message that is answered with an error. status: of HTTP."""

    def __init__(self, code: int, message: str, *, status: int = 200) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request. id: of the caller's choice, None for a notification, which wants no answer."""

    id: str | int | None
    method: str
    params: Mapping[str, Any]


def call_of(body: bytes) -> Call:
    """The message in a body. Raises RpcError; an answer of the caller's counts as a notification."""
    try:
        message = json_in(body, floats=_Fraction)
    except FilterError as error:
        raise RpcError(PARSE_ERROR, error.reason, status=400) from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, "expected one JSON-RPC 2.0 message", status=400)
    if "method" not in message and ("result" in message or "error" in message):
        return Call(id=None, method="", params={})
    method, params, name = message.get("method"), message.get("params", {}), message.get("id")
    if not isinstance(method, str) or not isinstance(params, dict):
        raise RpcError(INVALID_REQUEST, "expected a method and an object of params", status=400)
    # A notification has no id at all; MCP knows no request whose id is null.
    if "id" in message and (isinstance(name, bool | _Fraction) or not isinstance(name, str | int)):
        detail = "expected an id that is a text or a whole number"
        raise RpcError(INVALID_REQUEST, detail, status=400)
    return Call(id=name, method=method, params=params)


def result_of(call: Call, request: HttpRequest) -> dict[str, Any]:
    """The result of a call. Raises RpcError for a method, or a tool, that is not here."""
    match call.method:
        case "initialize":
            return _introduction(call.params)
        case "ping":
            return {}
        case "tools/list":
            return {"tools": [tool.written for tool in TOOLS]}
        case "tools/call":
            return _called(call.params, request)
        case _:
            raise RpcError(METHOD_NOT_FOUND, f"there is no method {call.method[:80]!r}")


def _introduction(params: Mapping[str, Any]) -> dict[str, Any]:
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in VERSIONS else VERSIONS[-1],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "tallybook", "title": "Tallybook", "version": "1"},
        "instructions": INSTRUCTIONS,
    }


def _called(params: Mapping[str, Any], request: HttpRequest) -> dict[str, Any]:
    name, arguments = params.get("name"), params.get("arguments") or {}
    tool = _BY_NAME.get(name) if isinstance(name, str) else None
    if tool is None:
        raise RpcError(INVALID_PARAMS, f"there is no tool {str(name)[:80]!r}")
    if not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "arguments: expected an object")
    try:
        return _told(tool.answer(request, arguments))
    except BadArgumentsError as error:
        # Not an error of the protocol: the model that asked is to read it and ask better.
        return _refused(str(error))


def _told(answer: HttpResponseBase) -> dict[str, Any]:
    content = _content(answer)
    found = json.loads(content)
    if answer.status_code >= 400:
        return _refused(f"{found['code']}: {found['detail']}")
    return {
        "content": [{"type": "text", "text": content.decode()}],
        "structuredContent": found,
        "isError": False,
    }


def _content(answer: HttpResponseBase) -> bytes:
    render = getattr(answer, "render", None)
    if render is not None:
        render()
    content: bytes = answer.content  # type: ignore[attr-defined]  # none of these is a stream
    return content


def _refused(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": True}
