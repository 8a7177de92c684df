"""Serves a WSGI application over ASGI, so that no thread waits for what a client has yet to send.

A thread of granian's own WSGI server reads the body and may wait for the rest of it for ever; it also
takes a chunked body that broke off for a whole one. Here the event loop waits, with a time limit, and
a request is given to a thread once its body is there. A body too long to be held is read while it
comes, in one of a few threads of their own; an answer too long to be held goes out while it is made,
a few at once.
"""

import asyncio
import io
import json
import sys
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from urllib.parse import unquote_to_bytes
from wsgiref.types import WSGIApplication, WSGIEnvironment

from accounting.api.problems import PROBLEM, headers_of, problem_values
from accounting.config.answers import (
    COLLECTED_BYTES,
    HELD_BYTES,
    Answer,
    GoneError,
    Outlet,
    give,
)
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
#: At most so many of the threads are held up by whoever reads a long answer.
LONG_ANSWERS = 8
#: The server itself takes half a megabyte; a browser's cookies and a key need a few hundred bytes.
HEADERS_LIMIT = 32 * 1024
_UNPREFIXED = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}


class LongHeadError(Exception):
    """The headers are longer than any that are meant."""


class NoThreadError(Exception):
    """All threads for long bodies are taken, and none became free in time."""


class TooManyAnswersError(Exception):
    """As many long answers go out as may at once."""


class Gate:
    """The ASGI application; HTTP only."""

    def __init__(
        self,
        application: WSGIApplication,
        *,
        patience: Patience = Patience(),  # noqa: B008  a frozen value
        threads: int = THREADS,
        long_body_threads: int = LONG_BODY_THREADS,
        long_answers: int = LONG_ANSWERS,
    ) -> None:
        self._application = application
        self._patience = patience
        self._threads = ThreadPoolExecutor(threads, "request")
        self._long_body_threads = ThreadPoolExecutor(long_body_threads, "long-body")
        self._long_bodies = asyncio.Semaphore(long_body_threads)
        self._long_answers = threading.Semaphore(long_answers)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        body = Body(receive, self._patience)
        outlet = Outlet(send, body, self._patience)
        try:
            answer = await self._answer(scope, body, outlet)
        except NoThreadError:
            answer = _refusal("busy", "too many long bodies come in at once; send it again")
        except TooManyAnswersError:
            answer = _refusal("busy", "too many long answers go out at once; ask again")
        except LateBodyError:
            patience = self._patience
            detail = (
                f"the body must not pause for {patience.pause_s:g} seconds, and each 256 KiB of it"
                f" must come within {patience.share_s:g}; nothing was kept"
            )
            answer = _refusal("body_late", detail)
        except BrokenBodyError:
            answer = _refusal("body_incomplete", "the body ended too early; nothing was kept")
        except LongHeadError:
            detail = f"the headers have more than {HEADERS_LIMIT:,} bytes in all"
            answer = _refusal("headers_too_large", detail)
        except GoneError:
            answer = None
        else:
            await body.discard()
        finally:
            outlet.let_go()
        body.let_go()
        if answer is not None:
            # What is left of a body would be taken for the next request.
            await give(answer, send, is_last=not body.is_whole)

    async def _answer(self, scope: Message, body: Body, outlet: Outlet) -> Answer | None:
        """The answer to be sent, None where it has been."""
        if sum(len(name) + len(text) for name, text in scope["headers"]) > HEADERS_LIMIT:
            raise LongHeadError
        beginning = await body.beginning()
        environ = environ_of(scope)
        if body.is_whole:
            environ["wsgi.input"] = io.BytesIO(beginning)
            environ["CONTENT_LENGTH"] = str(len(beginning))
            environ.pop("HTTP_TRANSFER_ENCODING", None)
            return await self._called(self._threads, environ, outlet)
        loop = asyncio.get_running_loop()
        environ["wsgi.input"] = io.BufferedReader(BodyInThread(beginning, body, loop))
        async with self._turn():
            return await self._called(self._long_body_threads, environ, outlet)

    async def _called(
        self, threads: Executor, environ: WSGIEnvironment, outlet: Outlet
    ) -> Answer | None:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(threads, self._call, environ, outlet)

    def _call(self, environ: WSGIEnvironment, outlet: Outlet) -> Answer | None:
        """The application's answer, in a thread of its own; None where it was passed on."""
        started: list[tuple[str, list[tuple[str, str]]]] = []

        def start(status: str, headers: list[tuple[str, str]], _error: Any = None, /) -> Any:
            started.append((status, headers))

        found: Iterable[bytes] = self._application(environ, start)
        try:
            pieces = iter(found)
            beginning = _beginning(pieces, started)
            status_line, headers = started[-1]
            status = int(status_line.partition(" ")[0])
            if len(beginning) <= _held(headers):
                return Answer(status=status, headers=headers, body=beginning)
            with self._long_answer():
                outlet.open(status, headers)
                outlet.pass_on(beginning)
                for piece in pieces:
                    outlet.pass_on(piece)
                outlet.close()
        finally:
            if close := getattr(found, "close", None):
                close()
        return None

    @contextmanager
    def _long_answer(self) -> Iterator[None]:
        """One of the long answers. Raises TooManyAnswersError at once where there are too many."""
        if not self._long_answers.acquire(blocking=False):
            raise TooManyAnswersError
        try:
            yield
        finally:
            self._long_answers.release()

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


def _beginning(pieces: Iterator[bytes], started: list[tuple[str, list[tuple[str, str]]]]) -> bytes:
    """All of an answer that is to be collected, or more than is held of a longer one."""
    beginning = bytearray()
    for piece in pieces:
        beginning += piece
        if len(beginning) > _held(started[-1][1]):
            break
    return bytes(beginning)


def _held(headers: list[tuple[str, str]]) -> int:
    """How much of an answer is held at most: a known length says whether the whole of it."""
    lengths = [text for name, text in headers if name.lower() == "content-length"]
    is_known = bool(lengths) and int(lengths[-1]) <= COLLECTED_BYTES
    return COLLECTED_BYTES if is_known else HELD_BYTES


def _refusal(code: str, detail: str) -> Answer:
    values = problem_values(code, detail)
    headers = [("Content-Type", PROBLEM), *headers_of(values["status"]).items()]
    return Answer(status=values["status"], headers=headers, body=json.dumps(values).encode())
