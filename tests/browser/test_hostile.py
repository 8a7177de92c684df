"""Names with markup, quotes and scripts in them are text: on every page, in charts, titles and files."""

from urllib.parse import quote, urlencode

import pytest

from tests.access.table import pages
from tests.browser import hostile
from tests.browser.conftest import watched
from tests.browser.hostile import FILE, LONG, MARK, MODELS, SESSION, SHORT, TABLE, TAG
from tests.browser.scenes import CHOOSE, unfold
from tests.exports.reading import READERS

pytestmark = pytest.mark.browser

#: What a name would have become: elements and addresses that none of our pages has.
BECAME = """() => ({
  ran: window.__xss ?? null,
  elements: document.querySelectorAll(
    'x-mark, img, [onerror], iframe, base, a[href^="javascript" i], script:not([src]):not([type="application/json"])'
  ).length,
  template: document.documentElement.textContent.includes("{" + "{ 14")
})"""
#: Where a mouse finds something drawn.
DRAWN = """(plot) => {
  const boxes = [...plot.querySelectorAll(".point, .points path, .trace")]
    .map((one) => one.getBoundingClientRect())
    .filter((box) => box.height > 0 || box.width > 0);
  const box = boxes.reduce((one, two) => (two.height > one.height ? two : one));
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}"""
ALL = "range=all"
CUT = f"{ALL}&metric=input_tokens"


def query(**names):
    return urlencode(names)


#: Route -> addresses, in which {names} are of what the books have.
VISITS = {
    "": (
        f"/?{CUT}",
        f"/?{CUT}&{query(model=MODELS[0], user=f'user {LONG}')}",
        f"/?{query(range=LONG)}",
    ),
    "overview/month/": ("/overview/month/",),
    "overview/projects/": (f"/overview/projects/?{ALL}",),
    "overview/sessions/": (f"/overview/sessions/?{ALL}",),
    "explore/": (
        f"/explore/?{CUT}&group=model&sub=user&chart=lines",
        f"/explore/?{CUT}&{query(group=f'tag:{TAG}')}",
        f"/explore/?{query(metric=LONG)}",
    ),
    "cache/": (f"/cache/?{ALL}&group=team",),
    "sessions/": (f"/sessions/?{ALL}",),
    "sessions/spread/": (f"/sessions/spread/?{ALL}",),
    "sessions/one/": (f"/sessions/one/?{query(id=SESSION)}",),
    "requests/": (f"/requests/?{ALL}", f"/requests/?{query(user=LONG)}"),
    "requests/<str:key>/": ("/requests/{event}/",),
    "conditions/": (f"/conditions/?{query(next='/explore/', name='model', value=LONG)}",),
    "prices/": (
        f"/prices/?{query(search=MODELS[0])}",
        f"/prices/?{query(search=LONG, model=LONG, provider=LONG, alias=LONG)}",
    ),
    "prices/history/": (
        f"/prices/history/?{query(provider=f'provider {SHORT}', model=MODELS[0])}",
    ),
    "prices/reprice/": ("/prices/reprice/",),
    "prices/reprice/<int:run_id>/": ("/prices/reprice/{repricing}/",),
    "estimate/": (
        f"/estimate/?{ALL}&money=100&{query(models=f'provider {SHORT}/{MODELS[0]}')}",
        f"/estimate/?{query(money=LONG)}",
    ),
    "months/": ("/months/",),
    "benchmarks/": ("/benchmarks/",),
    "benchmarks/<int:run_id>/": ("/benchmarks/{run}/",),
    "benchmarks/two/": ("/benchmarks/two/?run={run}&run={other}",),
    "keys/": ("/keys/",),
    "settings/": ("/settings/",),
    "sources/": ("/sources/",),
    "imports/": ("/imports/",),
    "imports/<int:import_id>/": ("/imports/{imported}/", "/imports/{refused}/"),
    "imports/mapping/<path:name>.json": (f"/imports/mapping/{quote(f'mapping {SHORT}')}.json",),
    "formats/": (f"/formats/?{query(search=LONG)}",),
    "formats/samples/<path:path>": ("/formats/samples/native/events.jsonl",),
    "welcome/": ("/welcome/",),
    "password/": ("/password/",),
    "sign-in/": (f"/sign-in/?{query(next=LONG)}",),
    "sign-in/<str:token>/": (f"/sign-in/{MARK}/",),
}
#: Their pages name nothing of the books, or are no pages for a browser to draw.
NAMELESS = {
    "formats/",
    "months/",
    "overview/month/",
    "overview/sessions/",
    "formats/samples/<path:path>",
    "imports/mapping/<path:name>.json",
    "password/",
    "sign-in/",
    "sign-in/<str:token>/",
}
#: What a browser fetches and draws as no page of ours.
FILES = {"imports/mapping/<path:name>.json", "formats/samples/<path:path>"}


@pytest.fixture(scope="module")
def owner(site, browser):
    """The cookies of the owner of the hostile books, which are made once."""
    site.manage("shell", "-v0", "-c", "from tests.browser.hostile import fill; fill()")
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    page.goto("/sign-in/")
    page.get_by_label("Username").fill("hostile")
    page.get_by_label("Password").fill(hostile.PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "sign-in" not in url)
    yield context.cookies()
    context.close()


@pytest.fixture
def reader(site, browser, owner, complaints):
    """A page of theirs; what it writes to the console or asks in a dialog is noted."""
    context = browser.new_context(base_url=site.url, reduced_motion="reduce")
    context.add_cookies(owner)
    context.set_default_timeout(20_000)
    complaints.clear()
    page = watched(context, complaints)
    page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
    yield page
    context.close()


def rows(page, question):
    return page.request.get(f"/api/v1/{question}").json()["rows"]


def things(page):
    """What of the books the addresses name."""
    runs, imports = rows(page, "runs"), rows(page, "imports")
    page.goto("/prices/reprice/")
    repricing = page.locator("tbody th a").first.get_attribute("href")
    return {
        "event": rows(page, f"requests?{ALL}")[0]["event"],
        "run": runs[0]["run_id"],
        "other": runs[1]["run_id"],
        "imported": next(one for one in imports if one["rejected"] and one["requests"])[
            "import_id"
        ],
        "refused": next(one for one in imports if one["state"] == "refused")["import_id"],
        "repricing": repricing.strip("/").rpartition("/")[2],
    }


def filled(address, named):
    """An address with the names of things in it."""
    for name, value in named.items():
        address = address.replace(f"{{{name}}}", str(value))
    return address


def hovered(page):
    """What the charts say under a mouse."""
    said = []
    for plot in page.locator("figure[data-drawn] .plot").all():
        plot.scroll_into_view_if_needed()
        at = plot.evaluate(DRAWN)
        page.mouse.move(at["x"], at["y"])
        plot.locator(".hoverlayer > g").first.wait_for()
        said.append("".join(plot.locator(".hoverlayer").all_text_contents()))
    return "".join(said)


def test_every_page_is_visited():
    assert set(VISITS) == pages()


def test_names_that_try_to_be_markup_are_text_everywhere(reader, complaints):
    named = things(reader)
    hovers, nameless = {}, set()
    for route, addresses in VISITS.items():
        for number, template in enumerate(addresses):
            address = filled(template, named)
            if route in FILES:
                answer = reader.request.get(address)
                assert answer.status == 200, address
                assert answer.headers["content-type"].partition(";")[0] != "text/html", address
                continue
            answer = reader.goto(address)
            # Whoever is signed in is led on, here to an address that nothing has.
            assert answer.status in ({404} if route == "sign-in/" else {200, 400}), address
            reader.locator("[data-part]").first.wait_for(state="detached")
            unfold(reader)
            for figure in reader.locator("figure[data-chart]").all():
                figure.and_(reader.locator("[data-drawn]")).wait_for()
            said = hovered(reader)
            assert reader.evaluate(BECAME) == {"ran": None, "elements": 0, "template": False}, (
                address
            )
            if number == 0:
                hovers[route] = said
            if MARK not in reader.locator("main").inner_text():
                nameless.add(address)
    assert {route for route in VISITS if set(VISITS[route]) & nameless} | FILES == NAMELESS
    assert [one for one in complaints if "Failed to load resource" not in one] == []
    for route in ("", "explore/", "cache/", "sessions/spread/"):
        assert LONG in hovers[route], route


def test_titles_say_names_as_they_are(reader):
    named = things(reader)
    reader.goto(f"/benchmarks/{named['run']}/")
    assert LONG in reader.title()
    reader.goto(f"/imports/{named['imported']}/")
    assert FILE in reader.title()


def test_columns_of_a_hostile_table_are_text(reader, complaints):
    reader.goto("/imports/#mapping")
    reader.evaluate(CHOOSE, [f"table {SHORT}.csv", TABLE])
    reader.get_by_label("What when").wait_for()
    assert MARK in reader.locator("#mapping").inner_text()
    assert reader.evaluate(BECAME) == {"ran": None, "elements": 0, "template": False}
    assert complaints == []


@pytest.mark.parametrize("layout", READERS)
def test_files_hold_names_as_text(reader, layout):
    def texts(name, asked=ALL):
        answer = reader.request.get(f"/api/v1/exports/{name}.{layout}?{asked}")
        assert answer.status == 200
        return {str(cell) for row in READERS[layout](answer.body()) for cell in row.values()}

    assert set(MODELS) <= texts("usage", f"{ALL}&group=model")
    assert SESSION in texts("sessions")
    assert {*MODELS, SESSION, f"user {LONG}"} <= texts("requests")
    assert MODELS[0] in texts("prices", query(**{"model~": MODELS[0]}))
    assert any(FILE in text for text in texts("imports", ""))
