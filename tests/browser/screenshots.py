"""Pictures of every page, light and dark, wide and narrow, into artifacts/: `make screenshots`."""

import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

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
    newest = first_link(page, "/imports/", "tbody th a")
    session = first_link(page, "/sessions/?range=all&source=claude_code", "tbody th a")
    request = first_link(page, session, "tbody th a")
    history = first_link(page, "/prices/?search=sonnet", "tbody th a[href*=history]")
    page.goto("/prices/?provider=openai&model=gpt-5")
    page.get_by_label("Input", exact=True).fill("1.5")
    page.get_by_label("Output", exact=True).fill("12")
    page.get_by_role("button", name="Add prices").click()
    page.goto("/prices/reprice/")
    page.get_by_label("From").fill("2026-01-01")
    page.get_by_role("button", name="Start a dry run").click()
    page.locator("#run[data-over=yes]").wait_for(timeout=60_000)
    run = page.url.removeprefix(site.url)
    context.close()
    return {
        "overview": "/?range=90d",
        "sessions": "/sessions/?range=90d&order=-cost",
        "session": session,
        "request": request,
        "estimate": "/estimate/?money=100&turns=8&system_tokens=1000&user_tokens=200&answer_tokens=400",
        "imports": "/imports/",
        "import": newest,
        "formats": "/formats/?search=claude",
        "prices": "/prices/?search=sonnet",
        "history": history,
        "repricing": "/prices/reprice/",
        "repricing-run": run,
        "months": "/months/",
        "keys": "/keys/",
    }


def first_link(page: Page, address: str, which: str) -> str:
    """Where the first such link of a page leads."""
    page.goto(address)
    return page.locator(which).first.get_attribute("href") or address


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
