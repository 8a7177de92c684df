"""One site and one browser for all browser tests, and a person who came by the printed link."""

import re

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser.scenes import cookies_of
from tests.browser.site import CHROMIUM, NEEDED, running_site
from tests.prepared import copied, prepared_cluster

#: Of the books of golden paths; beside them there is an analyst, called the same and `-too`.
OWNER = "walker"


@pytest.fixture(scope="session")
def site():
    if not CHROMIUM.exists():
        pytest.fail(NEEDED)
    with running_site(prepare=lambda folder: copied(prepared_cluster(), folder)) as running:
        yield running


@pytest.fixture(scope="session")
def browser():
    if not CHROMIUM.exists():
        pytest.fail(NEEDED)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def complaints():
    """What any page wrote to the console: nothing, in the end."""
    return []


def watched(context, complaints):
    """A new page whose console is listened to."""
    page = context.new_page()
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page


@pytest.fixture(scope="session")
def cookies(site, browser, complaints):
    """Signed in by the link, both questions answered as a reader in Kolkata would."""
    context = browser.new_context(
        base_url=site.url, timezone_id="Asia/Kolkata", locale="en-US", reduced_motion="reduce"
    )
    page = watched(context, complaints)
    page.goto(site.link)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Not now").click()
    zone = page.get_by_label("Time zone")
    expect(zone).to_have_value(re.compile("Asia/(Kolkata|Calcutta)"))
    assert page.get_by_label("Currency").input_value() == "USD"
    page.get_by_role("button", name="Open the books").click()
    page.wait_for_url(f"{site.url}/")
    found = context.cookies()
    context.close()
    return found


@pytest.fixture
def page(site, browser, cookies, complaints):
    """A page of the signed-in person; whatever it writes to the console fails the test."""
    context = browser.new_context(base_url=site.url, reduced_motion="reduce")
    context.add_cookies(cookies)
    context.set_default_timeout(20_000)
    complaints.clear()
    yield watched(context, complaints)
    context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def key(site):
    """The key that reads the books of the paths, which are made now."""
    return site.manage(
        "shell", "-v0", "-c", f"from tests.browser.books import walked; walked({OWNER!r})"
    )[0]["key"]


@pytest.fixture(scope="session")
def both(site, browser, key):
    """The cookies of the owner and of the analyst beside them."""
    return {who: cookies_of(browser, site, who) for who in (OWNER, f"{OWNER}-too")}
