"""The user guide's pictures, from sample books at one moment: `make guide-pictures`.

They are taken as WebP, which Chromium writes itself: a quarter of PNG's size.
"""

import base64
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.scenes import SCENES, Scene, click, shown, signed_in, stay, two_runs
from tests.browser.site import CHROMIUM, NEEDED, ROOT, Site, running_site

FOLDER = ROOT / "docs" / "guide"
#: When the pictures are taken, whatever the true time: a Tuesday late in a month, with much to see.
MOMENT = datetime(2026, 11, 24, 16, 30, tzinfo=UTC)
CLOCK = Path(__file__).parent / "clock"
WIDTH = 1280
QUALITY = 72
#: Snippets tell the usual address, not the one that was free.
SAY_ADDRESS = """([own, usual]) => document.querySelectorAll("pre").forEach((one) => {
  one.textContent = one.textContent.replaceAll(own, usual);
})"""
PATIENCE_MS = 120_000
FILL = "from tests.browser.guide_books import fill; fill()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One file. region: where on the page it begins, and its width; '' for its top. height: in pixels."""

    name: str
    scene: Scene
    height: int
    region: str = ""
    language: str = "en"

    @property
    def file_name(self) -> str:
        """What it is called in docs/guide."""
        spoken = "" if self.language == "en" else f".{self.language}"
        return f"{self.name}{spoken}.webp"


def scene(name: str, address: str, steps: Callable[[Page], object] = stay) -> Scene:
    """A page of the guide's books."""
    return Scene(name=name, address=address, who="guide", steps=steps)


EMPTY = replace(next(one for one in SCENES if one.name == "overview-empty"), who="first")
OVERVIEW = scene("overview", "/")
ESTIMATE = scene(
    "estimate",
    "/estimate/?money=500&turns=8&system_tokens=1000&user_tokens=200&answer_tokens=400"
    "&models=anthropic/claude-sonnet-4-5&models=openai/gpt-5&models=openai/gpt-5-mini",
)
MONTH = scene("explore", "/explore/?range=last_month&group=project&sub=model")
SPOKEN = (
    Picture(name="first-steps", scene=EMPTY, height=400),
    Picture(name="overview", scene=OVERVIEW, height=1035),
    Picture(name="estimate", scene=ESTIMATE, height=900),
    Picture(name="month", scene=MONTH, height=655, region="#groups"),
)
PICTURES = (
    *SPOKEN,
    *(replace(one, language="zh-hans") for one in SPOKEN),
    Picture(
        name="import",
        scene=scene("import", "/imports/", click("a[title$='gateway-november.jsonl']")),
        height=620,
    ),
    Picture(
        name="session",
        scene=scene("session", "/sessions/?range=30d&order=-cost", click("tbody th a")),
        height=735,
    ),
    Picture(name="runs", scene=scene("runs", "/benchmarks/", two_runs), height=635),
    Picture(name="sources", scene=scene("sources", "/sources/"), height=862),
)


def main() -> None:
    """Make the books at the moment, then take each picture; what is not listed goes."""
    if not CHROMIUM.exists():
        sys.exit(NEEDED)
    FOLDER.mkdir(exist_ok=True)
    shift = {
        "PYTHONPATH": f"{CLOCK}{os.pathsep}{ROOT}",
        "PICTURES_SHIFT_S": str(MOMENT.timestamp() - time.time()),
    }
    with running_site(shift) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cookies = signed_in(browser, site, FILL, {one.scene.who for one in PICTURES})
        for picture in PICTURES:
            path = FOLDER / picture.file_name
            path.write_bytes(taken(browser, site, cookies[picture.scene.who], picture))
            sys.stdout.write(f"{path.relative_to(ROOT)}  {path.stat().st_size:,} bytes\n")
        browser.close()
    listed = {one.file_name for one in PICTURES}
    for path in FOLDER.iterdir():
        if path.name not in listed:
            path.unlink()


def taken(browser: Browser, site: Site, cookies: list, picture: Picture) -> bytes:
    """The picture as WebP."""
    context = browser.new_context(
        base_url=site.url,
        viewport={"width": WIDTH, "height": picture.height},
        color_scheme="light",
        reduced_motion="reduce",
    )
    spoken = {"name": "language", "value": picture.language, "url": site.url}
    context.add_cookies([*cookies, spoken])
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    shown(page, picture.scene)
    page.evaluate(SAY_ADDRESS, [site.url, "http://127.0.0.1:8400"])
    box = page.locator(picture.region or "html").first.bounding_box()
    assert box is not None, f"{picture.name}: nothing is at {picture.region}"
    answer = context.new_cdp_session(page).send(
        "Page.captureScreenshot",
        {
            "format": "webp",
            "quality": QUALITY,
            "captureBeyondViewport": True,
            "clip": {
                **{side: box[side] for side in ("x", "y", "width")},
                "height": picture.height,
                "scale": 1,
            },
        },
    )
    context.close()
    return base64.b64decode(answer["data"])


if __name__ == "__main__":
    main()
