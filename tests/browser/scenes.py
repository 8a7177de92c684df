"""Every page in every state worth looking at: what the pictures show and what axe reads."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from playwright.sync_api import Browser, Page

from tests.browser.site import Site

#: Of everybody that tests.browser.books makes.
PASSWORD = "ledger and quill"
LONG_NAME = "gateway-europe-west-4-production-requests-of-the-second-week-of-august.jsonl"
TABLE = "when,machine,tokens in\n2026-10-10T12:00:00Z,loom-1,1000\n"
CHOOSE = """([name, text]) => {
  const chosen = new DataTransfer();
  chosen.items.add(new File([text], name));
  const input = document.getElementById("table-file");
  input.files = chosen.files;
  input.dispatchEvent(new Event("change"));
}"""


def stay(_page: Page) -> None:
    """Look at the page as it opens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A page to look at. who: signed in, '' for a stranger; steps: what is done before looking.

    is_refused: its answer is no 200, which Chromium writes to the console. is_worded: its steps look
    for English words.
    """

    name: str
    address: str
    who: str = "sample"
    steps: Callable[[Page], object] = stay
    is_refused: bool = False
    is_worded: bool = False


def click(*chosen: str) -> Callable[[Page], None]:
    """Click one thing after the other."""

    def steps(page: Page) -> None:
        for one in chosen:
            page.locator(one).first.click()
        page.wait_for_load_state()

    return steps


def unfold(page: Page) -> None:
    """Open everything that is folded."""
    page.evaluate(
        "document.querySelectorAll('details:not(.custom)').forEach((one) => { one.open = true; })"
    )


def choose_table(page: Page) -> None:
    """Show the columns of a table of no known format."""
    page.evaluate(CHOOSE, ["house.csv", TABLE])
    page.get_by_label("What when is").wait_for()
    page.get_by_role("button", name="Save and import the file").click()
    page.locator("#mapping .errorlist").wait_for()


def doubtful_price(page: Page) -> None:
    """Enter a price that nobody means."""
    page.get_by_label("Input", exact=True).fill("3000")
    page.get_by_label("Output", exact=True).fill("1")
    page.get_by_role("button", name="Add prices").click()


def same_currency(page: Page) -> None:
    """Enter an exchange rate that is none."""
    page.locator("#exchange summary").click()
    page.locator("#id_exchange_what").fill("USD")
    page.locator("#id_exchange_price").fill("0")
    page.get_by_role("button", name="Add exchange rate").click()


def make_key(page: Page) -> None:
    """Make a key, which then stands in the snippets. Each picture makes one of its own."""
    page.get_by_label("Name").fill(f"Key {page.evaluate('performance.timeOrigin')}")
    page.get_by_role("button", name="Make key").click()
    page.locator("#new-key").wait_for()


def two_runs(page: Page) -> None:
    """Put the first two runs side by side."""
    page.locator("a[href*='beside=']").first.click()
    page.locator("a[href*='/two/']").first.click()
    page.wait_for_load_state()


FIRST = "tbody th a"
IMPORTED = f"a[title$='{LONG_NAME}']"

SCENES = (
    Scene(name="sign-in", address="/sign-in/", who=""),
    Scene(name="sign-in-link", address="/sign-in/made-up/", who=""),
    Scene(
        name="sign-in-link-used",
        address="/sign-in/made-up/",
        who="",
        steps=click("main button"),
        is_refused=True,
    ),
    Scene(name="welcome", address="/welcome/", who="newcomer"),
    Scene(name="password", address="/password/"),
    Scene(name="overview-empty", address="/", who="empty"),
    Scene(name="sessions-empty", address="/sessions/", who="empty"),
    Scene(name="estimate-empty", address="/estimate/", who="empty"),
    Scene(name="imports-empty", address="/imports/", who="empty"),
    Scene(name="prices-empty", address="/prices/?search=nothing-of-this-name", who="empty"),
    Scene(name="months-empty", address="/months/", who="empty"),
    Scene(name="keys-empty", address="/keys/", who="empty"),
    Scene(name="repricing-empty", address="/prices/reprice/", who="empty"),
    Scene(name="overview", address="/?range=90d"),
    Scene(name="overview-all", address="/?range=all&metric=input_tokens", steps=unfold),
    Scene(name="overview-none", address="/?range=90d&model=nothing-of-this-name"),
    Scene(name="overview-month", address="/overview/month/", steps=unfold),
    Scene(name="overview-sessions", address="/overview/sessions/?range=90d"),
    Scene(name="overview-projects", address="/overview/projects/?range=90d"),
    Scene(name="overview-refused", address="/?range=nonsense", is_refused=True),
    Scene(name="overview-foreign", address="/?range=30d", who="foreign"),
    Scene(name="explore", address="/explore/?range=90d&group=model&sub=project"),
    Scene(
        name="explore-lines",
        address="/explore/?range=30d&group=user&chart=lines&show=cumulative&metric=output_tokens",
        steps=unfold,
    ),
    Scene(name="explore-share", address="/explore/?range=90d&bucket=week&show=share"),
    Scene(name="explore-ratio", address="/explore/?range=30d&metric=input_output_ratio"),
    Scene(name="explore-slow", address="/explore/?range=7d&bucket=hour&group=team"),
    Scene(name="explore-none", address="/explore/?range=90d&model=nothing-of-this-name"),
    Scene(name="explore-refused", address="/explore/?chart=pie", is_refused=True),
    Scene(name="explore-empty", address="/explore/", who="empty"),
    Scene(name="explore-foreign", address="/explore/?range=30d", who="foreign"),
    Scene(name="requests", address="/requests/?range=90d&user=ana"),
    Scene(name="requests-august", address="/requests/?from=2026-08-01&to=2026-09-01"),
    Scene(name="requests-none", address="/requests/?range=90d&model!=x&user=nobody"),
    Scene(name="requests-empty", address="/requests/", who="empty"),
    Scene(name="cache", address="/cache/?range=30d"),
    Scene(name="cache-foreign", address="/cache/?range=30d", who="foreign"),
    Scene(name="cache-empty", address="/cache/", who="empty"),
    Scene(name="sessions", address="/sessions/?range=all&order=-cost"),
    Scene(name="sessions-spread", address="/sessions/spread/?range=90d", steps=unfold),
    Scene(name="sessions-spread-empty", address="/sessions/spread/", who="empty"),
    Scene(name="sessions-none", address="/sessions/?range=90d&model=nothing-of-this-name"),
    Scene(name="sessions-foreign", address="/sessions/?range=30d", who="foreign"),
    Scene(name="session", address="/sessions/?range=all&order=started", steps=click(FIRST)),
    Scene(
        name="session-foreign",
        address="/sessions/?range=30d",
        who="foreign",
        steps=click(FIRST),
    ),
    Scene(name="request", address="/sessions/?range=90d&order=-cost", steps=click(FIRST, FIRST)),
    Scene(
        name="request-repriced",
        address="/sessions/?range=all&order=started",
        steps=click(FIRST, FIRST),
    ),
    Scene(
        name="request-converted",
        address="/sessions/?range=all&order=started&model=jade-9b",
        steps=click(FIRST, "tbody tr:has-text('jade-9b') th a"),
    ),
    Scene(
        name="request-foreign",
        address="/sessions/?range=30d",
        who="foreign",
        steps=click(FIRST, FIRST),
    ),
    Scene(name="estimate", address="/estimate/"),
    Scene(
        name="estimate-asked",
        address="/estimate/?money=100&input_tokens=2000000&turns=8&system_tokens=1000"
        "&user_tokens=200&answer_tokens=400&models=anthropic/claude-sonnet-4-5"
        "&models=openai/gpt-5&models=made/up",
    ),
    Scene(name="estimate-refused", address="/estimate/?money=much", is_refused=True),
    Scene(name="imports", address="/imports/"),
    Scene(name="imports-unfolded", address="/imports/", steps=unfold),
    Scene(name="imports-viewer", address="/imports/", who="viewer"),
    Scene(name="imports-foreign", address="/imports/", who="foreign"),
    Scene(
        name="mapping",
        address="/imports/#mapping",
        steps=choose_table,
        is_refused=True,
        is_worded=True,
    ),
    Scene(name="import-rejections", address="/imports/", steps=click(IMPORTED)),
    Scene(name="import-unchanged", address="/imports/", steps=click("a[title$='session.jsonl']")),
    Scene(name="import-refused", address="/imports/", steps=click("a[title$='notes.txt']")),
    Scene(name="import-foreign", address="/imports/", who="foreign", steps=click(FIRST)),
    Scene(name="formats", address="/formats/"),
    Scene(name="formats-found", address="/formats/?search=claude", steps=unfold),
    Scene(name="formats-none", address="/formats/?search=nothing-of-this-name"),
    Scene(name="prices", address="/prices/"),
    Scene(name="prices-found", address="/prices/?search=sonnet&page=2"),
    Scene(name="prices-unfolded", address="/prices/?search=jade", steps=unfold),
    Scene(name="prices-viewer", address="/prices/?search=sonnet", who="viewer"),
    Scene(name="prices-foreign", address="/prices/?search=colossus", who="foreign"),
    Scene(
        name="prices-alias",
        address="/prices/?provider=anthropic&alias=claude-sonnet-x&search=claude-sonnet",
    ),
    Scene(
        name="prices-doubt",
        address="/prices/?provider=openai&model=gpt-5&search=gpt-5",
        steps=doubtful_price,
        is_refused=True,
        is_worded=True,
    ),
    Scene(
        name="prices-exchange",
        address="/prices/?search=gpt-5",
        steps=same_currency,
        is_refused=True,
        is_worded=True,
    ),
    Scene(name="history", address="/prices/history/?provider=openai&model=gpt-5"),
    Scene(name="repricing", address="/prices/reprice/"),
    Scene(name="repricing-run", address="/prices/reprice/", steps=click("tbody th a")),
    Scene(
        name="repricing-applied",
        address="/prices/reprice/",
        steps=click("tbody tr:last-child th a"),
    ),
    Scene(name="months", address="/months/"),
    Scene(name="keys", address="/keys/"),
    Scene(name="sources", address="/sources/"),
    Scene(name="sources-empty", address="/sources/", who="empty"),
    Scene(name="sources-viewer", address="/sources/", who="viewer"),
    Scene(name="sources-made", address="/sources/", steps=make_key, is_worded=True),
    Scene(name="benchmarks", address="/benchmarks/"),
    Scene(name="benchmarks-empty", address="/benchmarks/", who="empty"),
    Scene(name="benchmark", address="/benchmarks/", steps=click("tbody tr:last-child th a")),
    Scene(name="benchmarks-beside", address="/benchmarks/", steps=click("a[href*='beside=']")),
    Scene(name="benchmarks-two", address="/benchmarks/", steps=two_runs),
    Scene(name="benchmarks-refused", address="/benchmarks/two/"),
    Scene(name="settings", address="/settings/"),
    Scene(name="settings-unfolded", address="/settings/", steps=unfold),
    Scene(name="settings-viewer", address="/settings/", who="viewer"),
    Scene(name="not-found", address="/nothing/here/", is_refused=True),
)


FILL = "from tests.browser.books import fill; fill()"
PEOPLE = frozenset(scene.who for scene in SCENES)


def signed_in(
    browser: Browser, site: Site, fill: str = FILL, people: Collection[str] = PEOPLE
) -> dict[str, list]:
    """Make the books, then the cookies of everybody the scenes sign in as; '' has none."""
    site.manage("shell", "-v0", "-c", fill)
    found: dict[str, list] = {"": []}
    for who in sorted(set(people) - {""}):
        found[who] = cookies_of(browser, site, who)
    return found


def cookies_of(browser: Browser, site: Site, who: str) -> list:
    """Sign in as somebody that tests.browser.books made."""
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    page.goto("/sign-in/")
    page.get_by_label("Username").fill(who)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "sign-in" not in url)
    found = context.cookies()
    context.close()
    return found


def shown(page: Page, scene: Scene) -> None:
    """Go where the scene is and do what comes before looking; charts are drawn."""
    page.goto(scene.address)
    scene.steps(page)
    # What a page fetches once it is there.
    page.locator("[hx-trigger=load], [data-part]").first.wait_for(state="detached")
    for figure in page.locator("figure[data-chart]").all():
        figure.and_(page.locator("[data-drawn]")).wait_for()
