"""Pictures of every page, light and dark, wide and narrow, in both languages: `make screenshots`.

`make screenshots SCENES="overview months"` takes some; tests/browser/scenes.py has their names.
"""

import sys
import time

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser.scenes import SCENES, Scene, shown, signed_in
from tests.browser.site import CHROMIUM, NEEDED, ROOT, Site, running_site

FOLDER = ROOT / "artifacts"
#: Of a machine that is busy with other things.
PATIENCE_MS = 120_000
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
    if unknown := set(words) - {scene.name for scene in SCENES}:
        sys.exit(f"no scene is called {', '.join(sorted(unknown))}")
    FOLDER.mkdir(exist_ok=True)
    scenes = [scene for scene in SCENES if not words or scene.name in words]
    with running_site() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cookies = signed_in(browser, site, people={scene.who for scene in scenes})
        for look in LOOKS:
            # One browser's memory for each person: styles and scripts are fetched and read once.
            contexts = {who: looking(browser, site, cookies[who], look) for who in cookies}
            for scene in scenes:
                if not scene.is_worded or look[0] == "en":
                    take(contexts[scene.who], scene, look)
            for context in contexts.values():
                context.close()
        browser.close()


def looking(
    browser: Browser, site: Site, cookies: list, look: tuple[str, str, str]
) -> BrowserContext:
    """A browser that looks so. cookies: of the person who is signed in."""
    language, theme, width = look
    x, y = WIDTHS[width]
    context = browser.new_context(
        base_url=site.url,
        viewport={"width": x, "height": y},
        color_scheme=theme,
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE_MS)
    context.add_cookies([*cookies, {"name": "language", "value": language, "url": site.url}])
    return context


def take(context: BrowserContext, scene: Scene, look: tuple[str, str, str]) -> None:
    """One picture, as tall as the page, so that what stays at the edge of a phone covers nothing."""
    language, theme, width = look
    x, y = WIDTHS[width]
    start = time.monotonic()
    page = context.new_page()
    shown(page, scene)
    tall = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": x, "height": max(y, tall)})
    spoken = "" if language == "en" else f"{language}-"
    path = FOLDER / f"{scene.name}-{spoken}{theme}-{width}.png"
    page.screenshot(path=path)
    page.close()
    sys.stdout.write(f"{time.monotonic() - start:5.1f} s  {path.relative_to(ROOT)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
