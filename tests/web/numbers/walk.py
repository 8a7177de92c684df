"""Which addresses are walked, what each is compared with, and which pages have no number of the books."""

from collections.abc import Callable
from dataclasses import dataclass

from django.test import Client

from accounting.models import RepriceRun
from tests.web.numbers import (
    benchmark_pages,
    cache_page,
    data_pages,
    explore_page,
    latency_page,
    money_pages,
    overview_page,
    repricing_pages,
    request_pages,
    session_list,
    session_page,
    spread_page,
)
from tests.web.numbers.seen import Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One address. route: as the URL configuration writes it; thing: what of the books it is about.

    also: parameters that say nothing of the books.
    """

    route: str
    compare: Callable[[Seen], None]
    query: str = ""
    thing: str = ""
    also: str = ""


def _stops(
    route: str, compare: Callable[[Seen], None], *queries: str, also: str = ""
) -> list[Stop]:
    return [
        Stop(route=route, compare=compare, query=query, also=also) for query in queries or ("",)
    ]


def _things(route: str, compare: Callable[[Seen], None], *things: str) -> list[Stop]:
    return [Stop(route=route, compare=compare, thing=thing) for thing in things]


DAYS = "from=2026-11-10&to=2026-11-24"
OVERVIEWS = (
    "",
    "range=90d",
    "range=30d&metric=input_tokens&model!=gpt-5&user!=ana",
    "range=all&tz=Asia/Shanghai&project=search&compare=none",
)
WALK = (
    *_stops("", overview_page.whole, *OVERVIEWS, also="&whole=yes"),
    *_stops("", overview_page.first, *OVERVIEWS[:2]),
    *_stops("overview/month/", overview_page.month, *OVERVIEWS),
    *_stops("overview/projects/", overview_page.projects, *OVERVIEWS),
    *_stops("overview/sessions/", overview_page.median, *OVERVIEWS),
    *_stops(
        "explore/",
        explore_page.explore,
        DAYS,
        f"{DAYS}&group=model&sub=project&metric=output_tokens&bucket=week&show=cumulative&weekday=1",
        "range=90d&group=user&metric=cache_hit_rate",
        "range=30d&group=team&metric=error_rate&compare=none",
        "range=all&group=provider&bucket=month&compare=none",
        "range=90d&metric=credits&bucket=month&compare=none&show=share&chart=lines",
        "from=2026-11-20&to=2026-11-21&bucket=hour&metric=requests&group=project",
    ),
    *_stops(
        "explore/",
        latency_page.latencies,
        f"{DAYS}&metric=ttft_p95",
        "range=90d&metric=duration_p50&group=project&sub=model&bucket=week&compare=none",
        "range=all&metric=tpot_p99",
    ),
    *_stops(
        "cache/",
        cache_page.cache,
        "",
        "from=2026-11-16&to=2026-11-24&group=user&model~=claude",
        "range=90d&group=project&compare=none&bucket=week",
    ),
    *_stops(
        "sessions/", session_list.sessions, "range=all", "range=30d&project=search&order=ratio"
    ),
    *_stops("sessions/spread/", spread_page.spread, "range=all", "range=30d&user=ana"),
    *_things("sessions/one/", session_page.session, "session", "session of two currencies"),
    *_stops(
        "requests/",
        request_pages.requests,
        "range=7d",
        "from=2026-08-01&to=2026-09-01&model!=jasper-2",
    ),
    *_things("requests/<str:key>/", request_pages.request, "request repriced", "request converted"),
    *_stops("months/", money_pages.months),
    *_stops("prices/", money_pages.prices, "search=claude-sonnet-4-5"),
    *_stops(
        "prices/history/",
        money_pages.history,
        "provider=openai&model=gpt-5&at=2026-11-30T12:00:00Z",
    ),
    *_stops("prices/reprice/", repricing_pages.runs),
    *_things("prices/reprice/<int:run_id>/", repricing_pages.one_run, "run", "run applied"),
    *_stops(
        "estimate/",
        money_pages.estimate,
        "credits=2500&turns=8&system_tokens=1000&user_tokens=200&answer_tokens=400",
        "money=100&input_tokens=2000000&models=anthropic/claude-sonnet-4-5&models=made/up",
    ),
    *_stops("benchmarks/", benchmark_pages.benchmarks),
    *_things("benchmarks/<int:run_id>/", benchmark_pages.one_run, "benchmark", "benchmark told"),
    *_things("benchmarks/two/", benchmark_pages.two_runs, "benchmarks"),
    *_stops("imports/", data_pages.imports),
    *_things("imports/<int:import_id>/", data_pages.one_import, "import", "rejections", "report"),
    *_stops("sources/", data_pages.sources),
)

#: Pages that say no number of the books, and why.
WITHOUT = {
    "keys/": "names, scopes and times of keys",
    "settings/": "names, and the places of rules",
    "welcome/": "two questions to a newcomer",
    "password/": "a form",
    "conditions/": "leads to another address",
    "sign-in/": "a form for strangers",
    "sign-in/<str:token>/": "a form for strangers",
    "formats/": "tells what is read, and how many formats that are",
    "formats/samples/<path:path>": "a file of ours",
    "imports/mapping/<path:name>.json": "a file that says what columns mean",
}


def address(client: Client, stop: Stop) -> tuple[str, str]:
    """The address to open, and the query that says which thing it is about."""
    if not stop.thing:
        return f"/{stop.route}?{stop.query}{stop.also}", stop.query
    return _ADDRESSES[stop.route](client, stop.thing)


def _session(client: Client, thing: str) -> tuple[str, str]:
    chosen = {
        "session": "range=90d&model=gpt-5-mini",
        "session of two currencies": "from=2026-08-01&to=2026-09-01&model=jade-9b",
    }
    session_id = _rows(client, f"requests?{chosen[thing]}&limit=1")[0]["session_id"]
    return f"/sessions/one/?id={session_id}", f"id={session_id}"


def _request(client: Client, thing: str) -> tuple[str, str]:
    model = {"request repriced": "jasper-2", "request converted": "jade-9b"}[thing]
    asked = f"requests?from=2026-08-01&to=2026-09-01&model={model}&limit=1"
    return _keyed("requests", _rows(client, asked)[0]["event"])


def _run(_client: Client, thing: str) -> tuple[str, str]:
    states = {"run": "drafted", "run applied": "applied"}
    return _keyed("prices/reprice", RepriceRun.objects.get(state=states[thing]).pk)


def _benchmark(client: Client, thing: str) -> tuple[str, str]:
    rows = _rows(client, "runs")
    if thing == "benchmarks":
        pair = "&".join(f"run={row['run_id']}" for row in rows[:2])
        return f"/benchmarks/two/?{pair}", pair
    is_told = thing == "benchmark told"
    chosen = (row for row in rows if is_told == (row["totals"]["requests"] == 0))
    return _keyed("benchmarks", next(chosen)["run_id"])


def _import(client: Client, thing: str) -> tuple[str, str]:
    rows = _rows(client, "imports")
    wanted = {
        "import": lambda row: row["path"].endswith("session.jsonl"),
        "rejections": lambda row: row["rejected"] > 1,
        "report": lambda row: row["path"].endswith("runs.jsonl"),
    }
    return _keyed("imports", next(filter(wanted[thing], rows))["import_id"])


def _keyed(page: str, key: object) -> tuple[str, str]:
    return f"/{page}/{key}/", f"key={key}"


def _rows(client: Client, question: str) -> list[dict]:
    return client.get(f"/api/v1/{question}").json()["rows"]


_ADDRESSES = {
    "sessions/one/": _session,
    "requests/<str:key>/": _request,
    "prices/reprice/<int:run_id>/": _run,
    "benchmarks/<int:run_id>/": _benchmark,
    "benchmarks/two/": _benchmark,
    "imports/<int:import_id>/": _import,
}
