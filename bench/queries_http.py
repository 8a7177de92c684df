"""How long whole pages and endpoints take over HTTP, asked of the real web server one after the other.

    TALLYBOOK_DATA_DIR=… python -m bench.queries_http [--turns N] [--only WORDS]

Prints one JSON object for each, with p50 and p95 in ms from the request until the last byte, of exports
until the first of the file. The folder's books are those that bench.books made.
"""

import argparse
import http.client
import json
import os
import sys
import time
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounting.embedded.server import PrivateServer  # noqa: E402
from accounting.models import ApiKey, Membership, Organization, Project  # noqa: E402
from accounting.services.tenants import create_api_key  # noqa: E402
from bench.books import SLUG  # noqa: E402
from bench.exports import web_server  # noqa: E402
from bench.queries_measured import SLOW_TURNS, at  # noqa: E402

TURNS = 20
TYPE = {"Content-Type": "application/json"}
MONTH, QUARTER = "from=2026-10-31&to=2026-11-30", "from=2026-09-01&to=2026-11-30"
#: Marked slow in their answers: no rollup keeps what they ask, or each row's tags are looked into.
SLOW = (
    "page: explore, 90 days, tag by project",
    "usage: tag x project",
    "page: explore, team by hour",
    "page: explore, latency by project",
    "page: requests of an operation",
    "page: sessions of a finish reason",
    "page: explore, a finish reason",
    "latency by project",
)
#: Name -> address; {n} is another project, person or session each time.
ASKED = {
    "page: overview, 30 days": f"/?{MONTH}",
    "page: overview, 90 days": f"/?{QUARTER}",
    "page: overview, 90 days, whole": f"/?{QUARTER}&whole=yes",
    "part: overview's month": f"/overview/month/?{MONTH}",
    "part: overview's projects, 90 days": f"/overview/projects/?{QUARTER}",
    "part: overview's sessions, 30 days": f"/overview/sessions/?{MONTH}",
    "part: overview's sessions, 90 days": f"/overview/sessions/?{QUARTER}",
    "page: explore, 30 days by model": f"/explore/?{MONTH}",
    "page: explore, 30 days by project": f"/explore/?{MONTH}&group=project",
    "page: explore, 30 days by user": f"/explore/?{MONTH}&group=user",
    "page: explore, 90 days by key": f"/explore/?{QUARTER}&group=key",
    "page: explore, model by project": f"/explore/?{MONTH}&group=model&sub=project",
    "page: explore, team by project": f"/explore/?{MONTH}&group=team&sub=project",
    "page: explore, 90 days, tag by project": (
        f"/explore/?{QUARTER}&group=tag:feature&sub=project&bucket=day"
    ),
    "page: explore, team by hour": "/explore/?from=2026-11-23&to=2026-11-30&group=team&bucket=hour",
    "page: explore, latency": f"/explore/?{MONTH}&metric=ttft_p95",
    "page: explore, latency over 90 days": f"/explore/?{QUARTER}&metric=duration_p50",
    "page: explore, latency by project": f"/explore/?{MONTH}&metric=ttft_p95&group=project",
    "page: explore, one project": f"/explore/?{QUARTER}&project=p{{n}}",
    "page: cache": f"/cache/?{MONTH}",
    "page: requests": f"/requests/?{MONTH}",
    "page: requests of a team, 90 days": f"/requests/?{QUARTER}&team=team-3",
    "page: requests of a team that is not there": f"/requests/?{QUARTER}&team=nobody",
    "page: requests cut for their length": f"/requests/?{QUARTER}&finish_reason=length",
    "page: requests of an operation": f"/requests/?{MONTH}&operation=embeddings",
    "page: explore, a finish reason": f"/explore/?{MONTH}&finish_reason=stop&compare=none",
    "page: sessions": f"/sessions/?{MONTH}",
    "page: sessions of a team, 90 days": f"/sessions/?{QUARTER}&team=team-3",
    "page: sessions with a tag, 90 days": f"/sessions/?{QUARTER}&tag:feature=feature-2",
    "page: sessions of a finish reason": "/sessions/?from=2026-11-23&to=2026-11-30&finish_reason=stop",
    "page: spread of sessions": f"/sessions/spread/?{MONTH}",
    "page: one session": "/sessions/one/?id=session-00791{n}",
    "page: benchmarks": "/benchmarks/",
    "page: prices": "/prices/",
    "page: estimate": "/estimate/",
    "page: months": "/months/",
    "page: imports": "/imports/",
    "page: sources": "/sources/",
    "page: keys": "/keys/",
    "page: settings": "/settings/",
    "usage: day x model": f"/api/v1/usage?{MONTH}&bucket=day&group=model",
    "usage: day x project": f"/api/v1/usage?{MONTH}&bucket=day&group=project",
    "usage: day x user": f"/api/v1/usage?{MONTH}&bucket=day&group=user",
    "usage: day x key, 90 days": f"/api/v1/usage?{QUARTER}&bucket=day&group=key",
    "usage: one project": f"/api/v1/usage?{QUARTER}&bucket=day&group=model&project=p{{n}}",
    "usage: team x project": f"/api/v1/usage?{MONTH}&group=team&sub=project",
    "usage: tag x project": f"/api/v1/usage?{MONTH}&group=tag:feature&sub=project",
    "usage: day x user x team, 90 days": (
        f"/api/v1/usage?{QUARTER}&bucket=day&group=user&sub=team"
    ),
    "sessions": f"/api/v1/sessions?{MONTH}",
    "session": "/api/v1/sessions/session-00791{n}",
    "requests": f"/api/v1/requests?{QUARTER}",
    "requests that failed": f"/api/v1/requests?{QUARTER}&status=error",
    "runs": "/api/v1/runs",
    "cache": f"/api/v1/cache?{MONTH}",
    "change": f"/api/v1/change?{MONTH}",
    "projection": "/api/v1/projection",
    "dimensions": "/api/v1/dimensions",
    "dimension: user": "/api/v1/dimensions/user",
    "prices": "/api/v1/prices",
    "credit rates": "/api/v1/credit-rates",
    "imports": "/api/v1/imports",
    "latency by day and model": f"/api/v1/latency?{MONTH}&bucket=day&group=model",
    "latency by project": f"/api/v1/latency?{MONTH}&group=project",
    "explain twenty": f"/api/v1/explain?{MONTH}&sample=20&seed={{n}}",
    "quote": "/api/v1/quote",
    "export: requests": f"/api/v1/exports/requests.csv?{QUARTER}",
    "export: sessions": f"/api/v1/exports/sessions.csv?{MONTH}",
    "export: usage": f"/api/v1/exports/usage.csv?{MONTH}&bucket=day&group=project",
    # A workbook leaves when the whole of it is written: it takes as long as it has rows.
    "export: usage as XLSX": f"/api/v1/exports/usage.xlsx?{MONTH}&group=project",
    "export: prices": "/api/v1/exports/prices.csv",
}
#: What is asked with a body.
BODIES = {
    "quote": json.dumps(
        {
            "provider": "openai",
            "model": "gpt-4o",
            "at": "2026-11-01T12:00:00Z",
            "usage": {"input_tokens": 1000, "output_tokens": 200},
        }
    )
}
#: How the names of files begin: of which only the beginning is waited for.
FILES = "export: "


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    with PrivateServer(settings.DATA_FOLDER).use():
        headers = reader(Organization.objects.get(slug=SLUG))
        connection.close()
        with web_server():
            for name, address in ASKED.items():
                if given.only in name:
                    print(json.dumps(measured(name, address, headers, given.turns)), flush=True)
    return 0


def reader(organization: Organization) -> dict[str, str]:
    """The headers of somebody who may see everything: a key for endpoints, a session for pages."""
    Organization.objects.filter(pk=organization.pk).update(configured_at=timezone.now())
    ApiKey.objects.of(organization.pk).filter(name="bench-http").delete()
    project = Project.objects.of(organization.pk).earliest("pk")
    key = create_api_key(
        organization_id=organization.pk, project_id=project.pk, name="bench-http", scopes=["read"]
    )
    user, _ = User.objects.get_or_create(username="bench-http")
    Membership.objects.get_or_create(
        user=user, organization=organization, defaults={"role": "owner"}
    )
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    cookie = f"{settings.SESSION_COOKIE_NAME}={session.session_key}"
    return {"X-Api-Key": key, "Cookie": cookie}


def measured(name: str, address: str, headers: dict[str, str], turns: int) -> dict[str, Any]:
    """p50 and p95 of one address after a turn to warm up."""
    asking = http.client.HTTPConnection("127.0.0.1", settings.WEB_PORT, timeout=600)
    times, size = [], 0
    for turn in range(1 + (SLOW_TURNS if name in SLOW else turns)):
        started = time.perf_counter()
        method = "POST" if name in BODIES else "GET"
        path = address.format(n=f"{7 * turn % 50:02}")
        asking.request(method, path, BODIES.get(name), {**TYPE, **headers})
        answer = asking.getresponse()
        body = answer.read(1) if name.startswith(FILES) else answer.read()
        took_ms = (time.perf_counter() - started) * 1000
        if name.startswith(FILES):
            asking.close()  # the rest is not wanted
        if answer.status != http.HTTPStatus.OK:
            raise RuntimeError(
                f"{name}: {answer.status} {answer.headers['Location']} {body[:300]!r}"
            )
        if turn:
            times.append(took_ms)
            size = max(size, len(body))
    asking.close()
    return {
        "name": name, "is_slow": name in SLOW, "bytes": size,
        "p50": at(times, 50), "p95": at(times, 95),
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
