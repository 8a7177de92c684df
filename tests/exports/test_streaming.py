"""Files from the real web server: they come while they are made, and never end before they are whole."""

import http.client
from contextlib import closing, contextmanager
from urllib.parse import urlsplit

import pytest
from django.db import connection

from tests.factories import api_key
from tests.queries.posted import posted, priced_organization
from tests.serving import web_server

SPAN = "from=2026-10-01&to=2026-11-01"


@contextmanager
def asked(served, key, path):
    place = urlsplit(served.url)
    with closing(http.client.HTTPConnection(place.hostname, place.port, timeout=60)) as asking:
        asking.request("GET", f"/api/v1/exports/{path}", headers={"X-Api-Key": key})
        with asking.getresponse() as answer:
            yield answer


def end_backends():
    """End every session of the server's but our own, as a database that goes away."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return len(cursor.fetchall())


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_file_comes_in_pieces_and_breaks_off_where_the_database_goes_away():
    organization = priced_organization()
    # So long that it is not yet made when its beginning is read: the reader takes in little at once.
    name = "x" * 190
    rows = ({"place": {"user_id": f"{name}{n}"}, "session_id": f"{name}{n}"} for n in range(600))
    posted(organization, *rows)
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMP TABLE copied AS SELECT * FROM accounting_usageevent;"
            "DO $$ BEGIN FOR n IN 1..40 LOOP"
            " UPDATE copied SET dedupe_key = decode(md5(n::text || encode(dedupe_key, 'hex')), 'hex');"
            " INSERT INTO accounting_usageevent SELECT * FROM copied; END LOOP; END $$"
        )
    key = api_key(organization)
    with web_server() as served:
        with asked(served, key, f"requests.csv?{SPAN}") as whole:
            assert whole.headers["Transfer-Encoding"] == "chunked"
            assert whole.read().count(b"\n") == 600 * 41 + 1
        with asked(served, key, f"requests.csv?{SPAN}") as broken:
            assert broken.read(1_000).startswith("\ufeffstarted_at".encode())
            assert end_backends() >= 1
            with pytest.raises(http.client.IncompleteRead):
                broken.read()
        with asked(served, key, f"usage.csv?{SPAN}") as again:
            assert again.read().count(b"\n") == 2
