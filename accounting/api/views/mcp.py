"""POST /mcp: the Model Context Protocol over streamable HTTP, without sessions or streams."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounting.api.auth import ApiKeyAuthentication
from accounting.api.mcp_protocol import (
    INVALID_REQUEST,
    VERSIONS,
    Call,
    RpcError,
    call_of,
    result_of,
)
from accounting.api.views.base import BooksView

VERSION_HEADER = "MCP-Protocol-Version"


class McpView(BooksView):
    """One message in, one answer out. Keys only: a browser's cookies open nothing here."""

    schema = None
    authentication_classes = (ApiKeyAuthentication,)

    def get_throttles(self) -> list[BaseThrottle]:
        """None: the questions that tools ask are counted as REST's are, the talk around them is not."""
        return []

    def post(self, request: Request) -> HttpResponse:
        """The result of a call, an error, or 202 for what wants no answer."""
        plain = request._request  # noqa: SLF001  the framework's has no body unread
        call: Call | None = None
        try:
            call = call_of(plain.body)
            _refuse_version(request, call)
            if call.id is None:
                return HttpResponse(status=202)
            return _message(call, {"result": result_of(call, plain)})
        except RpcError as error:
            said = {"error": {"code": error.code, "message": str(error)}}
            return _message(call, said, status=error.status)


def _refuse_version(request: Request, call: Call) -> None:
    """RpcError for a version that is not spoken; before the two have agreed on one, none is refused."""
    version = request.headers.get(VERSION_HEADER, VERSIONS[0])
    if version not in VERSIONS and call.method in {"tools/list", "tools/call"}:
        detail = f"{VERSION_HEADER} {version[:40]!r}, expected {', '.join(VERSIONS)}"
        raise RpcError(INVALID_REQUEST, detail, status=400)


def _message(call: Call | None, said: Mapping[str, Any], status: int = 200) -> JsonResponse:
    return JsonResponse(
        {"jsonrpc": "2.0", "id": call.id if call else None, **said},
        status=status,
        json_dumps_params={"ensure_ascii": False},
    )
