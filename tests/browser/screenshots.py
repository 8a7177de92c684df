"""Pictures of every page, light and dark, wide and narrow, in both languages: `make screenshots`."""

import sys

from playwright.sync_api import Browser, sync_playwright

from tests.browser.scenes import SCENES, Scene, shown, signed_in
from tests.browser.site import CHROMIUM, NEEDED, ROOT, Site, running_site

FOLDER = ROOT / "artifacts"
WIDTHS = {"wide": (1280, 900), "narrow": (360, 740)}
#: Language, theme and width of each picture; in Chinese two tell what there is to see.
LOOKS = (
    *(("en", theme, width) for theme in ("light", "dark") for width in WIDTHS),
    ("zh-hans", "light", "wide"),
    ("zh-hans", "dark", "narrow"),
)


def main(words: list[str]) -> None:
    """Make sample books, then look at each page in each way; words: only scenes named so."""
    if not CHROMIUM.exists():
        sys.exit(NEEDED)
    FOLDER.mkdir(exist_ok=True)
    scenes = [scene for scene in SCENES if not words or scene.name in words]
    with running_site() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cookies = signed_in(browser, site)
        for scene in scenes:
            take(browser, site, cookies[scene.who], scene)
        browser.close()


def take(browser: Browser, site: Site, cookies: list, scene: Scene) -> None:
    """One picture per look; steps that look for English words are not taken in Chinese."""
    for language, theme, width in LOOKS:
        if scene.is_worded and language != "en":
            continue
        x, y = WIDTHS[width]
        context = browser.new_context(
            base_url=site.url,
            viewport={"width": x, "height": y},
            color_scheme=theme,
            reduced_motion="reduce",
        )
        context.add_cookies([*cookies, {"name": "language", "value": language, "url": site.url}])
        page = context.new_page()
        shown(page, scene)
        # As tall as the page, so that what stays at the edge of a phone covers nothing.
        tall = page.evaluate("document.documentElement.scrollHeight")
        page.set_viewport_size({"width": x, "height": max(y, tall)})
        spoken = "" if language == "en" else f"{language}-"
        page.screenshot(path=FOLDER / f"{scene.name}-{spoken}{theme}-{width}.png")
        context.close()


if __name__ == "__main__":
    main(sys.argv[1:])
