"""Pages and what they load go out packed: a first look at a page is mostly one large script.

Static files are packed in memory when they are first asked for. So there are no packed copies that could
be older than the files, and no step before a start that makes them.
"""

import gzip
import io
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

import brotli
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import Response, StaticFile

#: Best first. Brotli's fifth level is a tenth larger than its last, and forty times faster.
PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "br": lambda text: brotli.compress(text, quality=5),
    "gzip": lambda text: gzip.compress(text, mtime=0),
}
OF_TEXT = frozenset({".css", ".js", ".svg"})
#: What fits into one packet is as fast as it is.
LEAST_BYTES = 1_024


def accepted_encodings(header: str) -> set[str]:
    """What an Accept-Encoding names and does not exclude by q=0."""
    found = set()
    for one in header.casefold().split(","):
        name, _, parameter = one.partition(";")
        if not re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", parameter):
            found.add(name.strip())
    return found


class PackedFile(StaticFile):  # type: ignore[misc]
    """A file of text that is sent in the best encoding that is accepted."""

    def __init__(self, path: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(path, *args, **kwargs)
        self._path = Path(path)
        self._packed: dict[str, bytes] = {}

    def get_response(self, method: str, request_headers: Mapping[str, str]) -> Response:
        """The whole file packed; as it is where only a part or its head was asked for."""
        response = super().get_response(method, request_headers)
        accepted = accepted_encodings(request_headers.get("HTTP_ACCEPT_ENCODING", ""))
        encoding = next((name for name in PACKERS if name in accepted), "")
        if response.status != HTTPStatus.OK or response.file is None or not encoding:
            return response
        response.file.close()
        if encoding not in self._packed:
            self._packed[encoding] = PACKERS[encoding](self._path.read_bytes())
        packed = self._packed[encoding]
        told = {
            **dict(response.headers),
            "Content-Encoding": encoding,
            "Content-Length": str(len(packed)),
        }
        told.pop("ETag", None)  # it names the plain bytes, of which a part may be asked for by it
        return Response(response.status, list(told.items()), io.BytesIO(packed))


class PackedFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise, whose larger texts are packed."""

    def get_static_file(self, path: str, url: str, stat_cache: Any = None) -> StaticFile:
        """One file as it is served."""
        found = super().get_static_file(path, url, stat_cache=stat_cache)
        file = Path(path)
        if file.suffix not in OF_TEXT or file.stat().st_size < LEAST_BYTES:
            return found
        _pattern, _path, headers = found.alternatives[-1]
        return PackedFile(path, [*headers, ("Vary", "Accept-Encoding")])


class PackedPages(GZipMiddleware):
    """Packs what people look at; programs and downloads get what they always got."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """The page, packed where it is accepted."""
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        return super().process_response(request, response) if is_page else response
