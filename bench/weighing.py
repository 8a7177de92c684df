"""What a browser fetches for a page and when it has drawn it: by Chromium's own account, to the byte."""

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page

#: What a first look at the Overview may transfer, headers and all.
MOST_BYTES = 450_000
#: Notes when the first figure was drawn, in ms from the start of the page.
WATCH = """() => {
  new MutationObserver((_all, watcher) => {
    if (document.querySelector("figure[data-drawn]")) {
      window.firstDrawn = performance.now();
      watcher.disconnect();
    }
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-drawn"] });
}"""
SETTLED = """() => {
  const figures = [...document.querySelectorAll("figure[data-chart]")];
  return figures.every((one) => one.dataset.drawn) && !document.querySelector(".htmx-request");
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """One load. server_ms: from the request until the first byte; drawn_ms: None without a chart."""

    transferred: int
    requests: int
    server_ms: float
    drawn_ms: float | None


def weighing(page: Page) -> Callable[[str], Weight]:
    """How to open an address on this page with an empty cache and weigh it."""
    sizes: dict[str, int] = {}
    browser = page.context.new_cdp_session(page)
    browser.send("Network.enable")
    browser.send("Network.setCacheDisabled", {"cacheDisabled": True})
    browser.on("Network.loadingFinished", lambda one: _note(sizes, one))
    page.add_init_script(f"({WATCH})()")

    def weighed(address: str) -> Weight:
        sizes.clear()
        answer = page.goto(address, wait_until="load")
        if answer is None or not answer.ok:
            raise RuntimeError(f"{address}: {answer and answer.status}")
        if not page.url.endswith(address):
            raise RuntimeError(f"{address} led to {page.url}: does another server answer there?")
        page.wait_for_function(SETTLED)
        page.wait_for_load_state("networkidle")
        timing = answer.request.timing
        return Weight(
            transferred=sum(sizes.values()),
            requests=len(sizes),
            server_ms=timing["responseStart"] - timing["requestStart"],
            drawn_ms=page.evaluate("window.firstDrawn ?? null"),
        )

    return weighed


def _note(sizes: dict[str, int], one: dict) -> None:
    # What was never sent, as an image within a style sheet, has no size.
    if one["encodedDataLength"]:
        sizes[one["requestId"]] = int(one["encodedDataLength"])
