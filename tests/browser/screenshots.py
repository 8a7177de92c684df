"""Pictures of every page, light and dark, wide and narrow, into artifacts/: `make screenshots`."""

import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.site import CHROMIUM, NEEDED, ROOT, Site, running_site

FOLDER = ROOT / "artifacts"
WIDTHS = {"wide": (1280, 900), "narrow": (360, 740)}
SAMPLES = ROOT / "tests" / "browser" / "samples"


def main() -> None:
    """Make sample books, then look at each page in each way."""
    if not CHROMIUM.exists():
        sys.exit(NEEDED)
    FOLDER.mkdir(exist_ok=True)
    with running_site() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cookies = signed_in(browser, site)
        take(browser, site, cookies, {"overview-empty": "/"})
        site.manage("demo")
        result = site.manage("ingest", str(SAMPLES / "session.jsonl"), "--json")
        print(result[-1])
        take(browser, site, cookies, pages(site, browser, cookies))
        browser.close()


def signed_in(browser: Browser, site: Site) -> list:
    """The cookies of somebody who came by the link and answered the two questions."""
    context = browser.new_context(base_url=site.url, timezone_id="Europe/Berlin")
    page = context.new_page()
    page.goto(site.link)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Not now").click()
    page.get_by_role("button", name="Open the books").click()
    page.wait_for_url(f"{site.url}/")
    cookies = context.cookies()
    context.close()
    return cookies


def pages(site: Site, browser: Browser, cookies: list) -> dict[str, str]:
    """Each page's name and address; the newest import's is found in the list."""
    context = browser.new_context(base_url=site.url)
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto("/imports/")
    newest = page.locator("tbody th a").first.get_attribute("href") or "/imports/"
    context.close()
    return {
        "overview": "/?range=90d",
        "sessions": "/sessions/?range=90d&order=-cost",
        "imports": "/imports/",
        "import": newest,
        "prices": "/prices/?search=sonnet",
        "keys": "/keys/",
    }


def take(browser: Browser, site: Site, cookies: list, addresses: dict[str, str]) -> None:
    """One picture per page, theme and width."""
    for theme in ("light", "dark"):
        for width, (x, y) in WIDTHS.items():
            context = browser.new_context(
                base_url=site.url,
                viewport={"width": x, "height": y},
                color_scheme=theme,
                reduced_motion="reduce",
            )
            context.add_cookies(cookies)
            page = context.new_page()
            for name, address in addresses.items():
                page.goto(address)
                for figure in page.locator("figure[data-chart]").all():
                    figure.and_(page.locator("[data-drawn]")).wait_for()
                path = FOLDER / f"{name}-{theme}-{width}.png"
                page.screenshot(path=Path(path), full_page=True)
            context.close()


if __name__ == "__main__":
    main()
