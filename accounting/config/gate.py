"""Serves a WSGI application over ASGI, so that no thread waits for what a client has yet to send.

A thread of granian's own WSGI server reads the body and may wait for the rest of it for ever; it also
takes a chunked body that broke off for a whole one. Here the event loop waits, with a time limit, and
a request is given to a thread once its body is there. A body too long to be held is read while it
comes, in one of a few threads of their own.
"""

import asyncio
import io
import json
import sys
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes
from wsgiref.types import WSGIApplication, WSGIEnvironment

from accounting.api.problems import PROBLEM, headers_of, problem_values
from accounting.config.bodies import (
    Body,
    BodyInThread,
    BrokenBodyError,
    LateBodyError,
    Message,
    Patience,
    Receive,
    Send,
)

#: Each has one connection to the database.
THREADS = 16
LONG_BODY_THREADS = 8
_UNPREFIXED = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}


class NoThreadError(Exception):
    """All threads for long bodies are taken, and none became free in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole answer."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Gate:
    """The ASGI application; HTTP only."""

    def __init__(
        self,
        application: WSGIApplication,
        *,
        patience: Patience = Patience(),  # noqa: B008  a frozen value
        threads: int = THREADS,
        long_body_threads: int = LONG_BODY_THREADS,
    ) -> None:
        self._application = application
        self._patience = patience
        self._threads = ThreadPoolExecutor(threads, "request")
        self._long_body_threads = ThreadPoolExecutor(long_body_threads, "long-body")
        self._long_bodies = asyncio.Semaphore(long_body_threads)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        body = Body(receive, self._patience)
        try:
            answer = await self._answer(scope, body)
        except NoThreadError:
            answer = _refusal("busy", "too many long bodies come in at once; send it again")
        except LateBodyError:
            patience = self._patience
            detail = (
                f"the body must not pause for {patience.pause_s:g} seconds, and each 256 KiB of it"
                f" must come within {patience.share_s:g}; nothing was kept"
            )
            answer = _refusal("body_late", detail)
        except BrokenBodyError:
            answer = _refusal("body_incomplete", "the body ended too early; nothing was kept")
        else:
            await body.discard()
        body.let_go()
        # What is left of a body would be taken for the next request.
        headers = answer.headers if body.is_whole else [*answer.headers, ("Connection", "close")]
        pairs = [(name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers]
        await send({"type": "http.response.start", "status": answer.status, "headers": pairs})
        await send({"type": "http.response.body", "body": answer.body})

    async def _answer(self, scope: Message, body: Body) -> Answer:
        beginning = await body.beginning()
        environ = environ_of(scope)
        if body.is_whole:
            environ["wsgi.input"] = io.BytesIO(beginning)
            environ["CONTENT_LENGTH"] = str(len(beginning))
            environ.pop("HTTP_TRANSFER_ENCODING", None)
            return await self._called(self._threads, environ)
        loop = asyncio.get_running_loop()
        environ["wsgi.input"] = io.BufferedReader(BodyInThread(beginning, body, loop))
        async with self._turn():
            return await self._called(self._long_body_threads, environ)

    async def _called(self, threads: Executor, environ: WSGIEnvironment) -> Answer:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(threads, _called, self._application, environ)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """The turn of a long body. Raises NoThreadError where it does not come in time."""
        try:
            async with asyncio.timeout(self._patience.share_s):
                await self._long_bodies.acquire()
        except TimeoutError:
            raise NoThreadError from None
        try:
            yield
        finally:
            self._long_bodies.release()


def environ_of(scope: Message) -> WSGIEnvironment:
    """What WSGI calls a request, without its body.

    A header with an underscore is left out: it would pass for one with a hyphen.
    """
    server, port = scope.get("server") or ("localhost", 0)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": str(server),
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": (scope.get("client") or ("",))[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.input_terminated": True,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for raw_name, raw_text in scope["headers"]:
        name, text = raw_name.decode("latin-1").lower(), raw_text.decode("latin-1")
        if "_" in name:
            continue
        key = _UNPREFIXED.get(name) or f"HTTP_{name.upper().replace('-', '_')}"
        separator = "; " if name == "cookie" else ","
        environ[key] = f"{environ[key]}{separator}{text}" if key in environ else text
    return environ


def _called(application: WSGIApplication, environ: WSGIEnvironment) -> Answer:
    """The application's answer, in a thread of its own."""
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start(status: str, headers: list[tuple[str, str]], _error: Any = None, /) -> Any:
        started.append((status, headers))

    found: Iterable[bytes] = application(environ, start)
    try:
        body = b"".join(found)
    finally:
        if close := getattr(found, "close", None):
            close()
    status, headers = started[-1]
    return Answer(status=int(status.partition(" ")[0]), headers=headers, body=body)


def _refusal(code: str, detail: str) -> Answer:
    values = problem_values(code, detail)
    headers = [("Content-Type", PROBLEM), *headers_of(values["status"]).items()]
    return Answer(status=values["status"], headers=headers, body=json.dumps(values).encode())
