"""Every address of the site: what kind of door it is, and how it is asked in the access matrix."""

from dataclasses import dataclass, field
from enum import StrEnum, auto


class Kind(StrEnum):
    """Who may come in."""

    OPEN = auto()  # everybody, and it shows nobody's books
    TOKEN = auto()  # whoever has the token of the settings, which is nobody here
    LIST = auto()  # REST: whoever may read; others are shown their own
    ONE = auto()  # REST: whoever may read, and 404 for what is not theirs
    OWN = auto()  # as ONE, and keys that only push see what they pushed
    PUSH = auto()  # keys that may push
    RPC = auto()  # keys that may read, no people
    PAGE = auto()  # members; others are shown their own
    PAGE_ONE = auto()  # members, and 404 for what is not theirs
    CHANGE = auto()  # members whose role may, and only their own books
    CHANGE_ONE = auto()  # members whose role may, and 404 for what is not theirs
    OWN_SETTINGS = auto()  # any signed-in person, about themselves


@dataclass(frozen=True, kw_only=True)
class Row:
    """How one address is asked. path: with {names} of what is planted. shows: its owner finds the word."""

    kind: Kind
    path: str
    method: str = "get"
    body: str = ""
    content_type: str = "application/json"
    shows: bool = field(default=False)


DAYS = "from=2026-10-01&to=2026-11-01"
SECONDS = "start_time=1790812800&bucket_width=1d&limit=2"
QUOTE = '{"model": "opal", "at": "2026-10-01T00:00:00Z", "usage": {"input_tokens": 1}}'
TOOLS = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
FORM = "application/x-www-form-urlencoded"
EVENT = '{"id": "pushed", "started_at": "2026-10-01T10:00:00Z", "model": "opal", "input_tokens": 1}'


def _open(path, method="get", **more):
    return Row(kind=Kind.OPEN, path=path, method=method, **more)


def _lists(path, *, shows=True, **more):
    return Row(kind=Kind.LIST, path=path, shows=shows, **more)


def _page(path, *, shows=False, kind=Kind.PAGE):
    return Row(kind=kind, path=path, shows=shows)


def _change(path, kind=Kind.CHANGE):
    return Row(kind=kind, path=path, method="post", content_type=FORM)


def _push(path):
    return Row(kind=Kind.PUSH, path=path, method="post", body=EVENT)


#: Route, as the URL configuration writes it -> how it is asked. An address without a row fails.
ROWS = {
    "healthz": _open("/healthz"),
    "readyz": _open("/readyz"),
    "metrics": Row(kind=Kind.TOKEN, path="/metrics"),
    "mcp": Row(kind=Kind.RPC, path="/mcp", method="post", body=TOOLS),
    "sign-in/": _open("/sign-in/"),
    "sign-in/<str:token>/": _open("/sign-in/nobody/"),
    "theme": Row(
        kind=Kind.OWN_SETTINGS, path="/theme", method="post", body="next=/", content_type=FORM
    ),
    "settings/preferences": Row(
        kind=Kind.OWN_SETTINGS,
        path="/settings/preferences",
        method="post",
        body="theme=dark",
        content_type=FORM,
    ),
    "sign-out/": Row(kind=Kind.OWN_SETTINGS, path="/sign-out/", method="post", content_type=FORM),
    "password/": Row(kind=Kind.OWN_SETTINGS, path="/password/"),
    # pushing
    "api/v1/events": _push("/api/v1/events?project={project}"),
    "otlp/v1/traces": _push("/otlp/v1/traces?project={project}"),
    "otlp/v1/logs": _push("/otlp/v1/logs?project={project}"),
    "otlp/v1/metrics": Row(
        kind=Kind.PUSH, path="/otlp/v1/metrics", method="post", body='{"resourceMetrics": []}'
    ),
    "imports/upload": Row(
        kind=Kind.CHANGE,
        path="/imports/upload?project={project}",
        method="post",
        body=EVENT,
        content_type="application/octet-stream",
    ),
    # asking
    "api/v1/dimensions": _lists(f"/api/v1/dimensions?{DAYS}"),
    "api/v1/dimensions/<str:name>": _lists(f"/api/v1/dimensions/user?{DAYS}"),
    "api/v1/usage": _lists(f"/api/v1/usage?group=team&sub=model&{DAYS}"),
    "api/v1/sessions": _lists(f"/api/v1/sessions?{DAYS}"),
    "api/v1/sessions/<path:session_id>": Row(
        kind=Kind.ONE, path="/api/v1/sessions/{session_id}", shows=True
    ),
    "api/v1/requests": _lists(f"/api/v1/requests?{DAYS}"),
    "api/v1/runs": _lists("/api/v1/runs"),
    "api/v1/cache": _lists(f"/api/v1/cache?group=user&{DAYS}"),
    "api/v1/latency": _lists(f"/api/v1/latency?group=user&{DAYS}"),
    "api/v1/change": _lists(f"/api/v1/change?{DAYS}", shows=False),
    "api/v1/projection": _lists("/api/v1/projection?as_of=2026-10-03", shows=False),
    "api/v1/estimate": _lists(f"/api/v1/estimate?{DAYS}", shows=False),
    "api/v1/explain": Row(kind=Kind.ONE, path="/api/v1/explain?event={key}", shows=True),
    "api/v1/prices": _lists("/api/v1/prices", shows=False),
    "api/v1/credit-rates": _lists("/api/v1/credit-rates", shows=False),
    "api/v1/quote": _lists("/api/v1/quote", method="post", body=QUOTE, shows=False),
    "api/v1/imports": Row(kind=Kind.LIST, path="/api/v1/imports", shows=True),
    "api/v1/imports/<int:import_id>": Row(
        kind=Kind.OWN, path="/api/v1/imports/{import_id}", shows=True
    ),
    "api/v1/exports/usage.<str:layout>": _lists(f"/api/v1/exports/usage.csv?group=user&{DAYS}"),
    "api/v1/exports/sessions.<str:layout>": _lists(f"/api/v1/exports/sessions.csv?{DAYS}"),
    "api/v1/exports/requests.<str:layout>": _lists(f"/api/v1/exports/requests.csv?{DAYS}"),
    "api/v1/exports/prices.<str:layout>": _lists("/api/v1/exports/prices.csv", shows=False),
    "api/v1/exports/imports.<str:layout>": _lists("/api/v1/exports/imports.csv"),
    "api/v1/<path:rest>": Row(kind=Kind.ONE, path="/api/v1/nowhere"),
    "api/schema/": _open("/api/schema/"),
    "openai/v1/organization/usage/completions": _lists(
        f"/openai/v1/organization/usage/completions?group_by[]=user_id&{SECONDS}"
    ),
    "openai/v1/organization/costs": _lists(
        f"/openai/v1/organization/costs?group_by[]=user_id&{SECONDS}"
    ),
    # pages
    "": _page(f"/?{DAYS}", shows=True),
    "overview/month/": _page("/overview/month/"),
    "overview/projects/": _page(f"/overview/projects/?{DAYS}", shows=True),
    "overview/sessions/": _page(f"/overview/sessions/?{DAYS}"),
    "explore/": _page(f"/explore/?group=user&{DAYS}", shows=True),
    "cache/": _page(f"/cache/?group=user&{DAYS}", shows=True),
    "requests/": _page(f"/requests/?{DAYS}", shows=True),
    "views/save": Row(
        kind=Kind.OWN_SETTINGS,
        path="/views/save",
        method="post",
        body="name=mine&next=/explore/",
        content_type=FORM,
    ),
    "views/<int:view_id>/remove": Row(
        kind=Kind.OWN_SETTINGS, path="/views/1/remove", method="post", content_type=FORM
    ),
    "conditions/": Row(kind=Kind.OWN_SETTINGS, path="/conditions/?next=/explore/&name=model"),
    "sessions/": _page(f"/sessions/?{DAYS}", shows=True),
    "sessions/spread/": _page(f"/sessions/spread/?{DAYS}", shows=True),
    "sessions/one/": _page("/sessions/one/?id={session_id}", shows=True, kind=Kind.PAGE_ONE),
    "requests/<str:key>/": _page("/requests/{key}/", shows=True, kind=Kind.PAGE_ONE),
    "prices/": _page("/prices/"),
    "prices/history/": _page("/prices/history/?provider=testing&model={word}-model"),
    "prices/reprice/": _page("/prices/reprice/"),
    "prices/reprice/<int:run_id>/": _page("/prices/reprice/{run_id}/", kind=Kind.PAGE_ONE),
    "estimate/": _page("/estimate/"),
    "months/": _page("/months/"),
    "benchmarks/": _page("/benchmarks/", shows=True),
    "benchmarks/<int:run_id>/": _page("/benchmarks/{benchmark}/", shows=True, kind=Kind.PAGE_ONE),
    "benchmarks/two/": _page(
        "/benchmarks/two/?run={benchmark}&run={second}", shows=True, kind=Kind.PAGE_ONE
    ),
    "keys/": _page("/keys/", shows=True),
    "settings/": _page("/settings/", shows=True),
    "settings/organization": _change("/settings/organization"),
    "settings/projects": _change("/settings/projects"),
    "settings/projects/<int:project_id>": _change(
        "/settings/projects/{project_id}", kind=Kind.CHANGE_ONE
    ),
    "sources/": _page("/sources/", shows=True),
    "sources/test": _change("/sources/test"),
    "welcome/": _page("/welcome/"),
    "imports/": _page("/imports/", shows=True),
    "imports/<int:import_id>/": _page("/imports/{import_id}/", shows=True, kind=Kind.PAGE_ONE),
    "imports/mapping/<path:name>.json": _page(
        "/imports/mapping/{word}-mapping.json", shows=True, kind=Kind.PAGE_ONE
    ),
    "formats/": _page("/formats/"),
    "formats/samples/<path:path>": _page("/formats/samples/native/events.jsonl"),
    # changes
    "sample-data/load": _change("/sample-data/load"),
    "sample-data/remove": _change("/sample-data/remove"),
    "prices/add": _change("/prices/add"),
    "prices/credit-rate": _change("/prices/credit-rate"),
    "prices/exchange-rate": _change("/prices/exchange-rate"),
    "prices/alias": _change("/prices/alias"),
    "prices/reprice/<int:run_id>/apply": _change("/prices/reprice/{run_id}/apply", Kind.CHANGE_ONE),
    "prices/reprice/<int:run_id>/undo": _change("/prices/reprice/{run_id}/undo", Kind.CHANGE_ONE),
    "months/<str:month>/close": _change("/months/2026-10/close"),
    "months/<str:month>/open": _change("/months/2026-10/open"),
    "keys/<int:key_id>/revoke": _change("/keys/{key_id}/revoke", Kind.CHANGE_ONE),
    "imports/<int:import_id>/undo": _change("/imports/{import_id}/undo", Kind.CHANGE_ONE),
    "imports/mapping/columns": _change("/imports/mapping/columns"),
    "imports/mapping/save": _change("/imports/mapping/save"),
}

_OF_PAGES = {Kind.PAGE, Kind.PAGE_ONE, Kind.OPEN, Kind.OWN_SETTINGS}
#: Open addresses that are no pages.
_FOR_PROGRAMS = {"healthz", "readyz", "api/schema/"}


def pages():
    """The routes of all pages."""
    return {
        route
        for route, row in ROWS.items()
        if row.kind in _OF_PAGES and row.method == "get" and route not in _FOR_PROGRAMS
    }
