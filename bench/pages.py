"""What pages weigh and how long they take in a browser with an empty cache, from the real web server.

    TALLYBOOK_DATA_DIR=… python -m bench.pages [--turns N] [--only WORDS] [--books SLUG] [--days QUERY]

Prints a line for each page: bytes transferred and requests, the server's time (from the request until
the first byte) as p50 and p95 in ms, and the median time until the first chart was drawn. Exit code 1
where the first Overview transfers more than it may. The folder's books are those of bench.books unless
--books names others; --days then says which days of theirs.
"""

import argparse
import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from playwright.sync_api import Browser, sync_playwright  # noqa: E402

from accounting.embedded.server import PrivateServer  # noqa: E402
from accounting.models import Organization  # noqa: E402
from bench.books import SLUG  # noqa: E402
from bench.exports import web_server  # noqa: E402
from bench.queries_http import MONTH, reader  # noqa: E402
from bench.queries_measured import at  # noqa: E402
from bench.weighing import MOST_BYTES, Weight, weighing  # noqa: E402

TURNS = 20
CHROMIUM = "/usr/bin/chromium"
FIRST = "Overview"
#: ms that the server's p95 is meant not to exceed.
SERVER_MS = 120
PAGES = {
    FIRST: "/?{days}",
    "Overview, one model": "/?{days}&model=model-03",
    "Explore": "/explore/?{days}&group=model&sub=project",
    "Cache": "/cache/?{days}",
    "Sessions": "/sessions/?{days}",
    "Requests": "/requests/?{days}",
    "Benchmarks": "/benchmarks/",
    "Estimate": "/estimate/",
    "Prices & rates": "/prices/",
    "Months": "/months/",
    "Imports": "/imports/",
    "Sources": "/sources/",
    "Settings": "/settings/",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--only", default="")
    parser.add_argument("--books", default=SLUG)
    parser.add_argument("--days", default=MONTH)
    given = parser.parse_args()
    with PrivateServer(settings.DATA_FOLDER).use():
        cookie = reader(Organization.objects.get(slug=given.books))["Cookie"]
        connection.close()
        with web_server(), sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            wrong = 0
            for name, address in PAGES.items():
                if given.only in name:
                    loads = loaded(browser, cookie, address.format(days=given.days), given.turns)
                    wrong += printed(name, loads)
            browser.close()
    return int(wrong > 0)


def loaded(browser: Browser, cookie: str, address: str, turns: int) -> list[Weight]:
    """A page opened so often by one reader, after a turn to warm up the server."""
    origin = f"http://127.0.0.1:{settings.WEB_PORT}"
    context = browser.new_context(base_url=origin)
    context.set_default_timeout(60_000)
    name, value = cookie.split("=", 1)
    context.add_cookies([{"name": name, "value": value, "url": origin}])
    weighed = weighing(context.new_page())
    loads = [weighed(address) for _turn in range(1 + turns)][1:]
    context.close()
    return loads


def printed(name: str, loads: list[Weight]) -> bool:
    """Print a page's figures; whether it transfers more than it may."""
    most = max(load.transferred for load in loads)
    server = [load.server_ms for load in loads]
    drawn = [load.drawn_ms for load in loads if load.drawn_ms is not None]
    line = (
        f"{name:20} {most / 1_000:6.1f} KB in {loads[0].requests:2} requests"
        f"   server p50 {at(server, 50):7.1f} ms p95 {at(server, 95):7.1f} ms"
    )
    if drawn:
        line += f"   first chart {at(drawn, 50):6.0f} ms"
    if name == FIRST:
        line += f"   (at most {MOST_BYTES / 1_000:.0f} KB; p95 meant to be {SERVER_MS} ms)"
    print(line, flush=True)
    return name == FIRST and most > MOST_BYTES


if __name__ == "__main__":
    sys.exit(main())
