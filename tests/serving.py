"""The real web server, as `make run` starts it, before the database of the test session."""

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from accounting.embedded.ports import page_answers
from accounting.management.commands.up import web_command
from tests.chaos.processes import Process, free_port, python, wait_until


@contextmanager
def web_server(**environment):
    """The server's address; what the test has committed is what it serves."""
    place = connection.settings_dict
    port = free_port()
    given = list(web_command()[1:])
    given[given.index("--port") + 1] = str(port)
    folder = Path(tempfile.mkdtemp(prefix="tallybook-serving-"))
    user, host, name = place["USER"], quote(place["HOST"], safe=""), place["NAME"]
    password = f":{quote(place['PASSWORD'], safe='')}" if place["PASSWORD"] else ""
    at = f"{host}:{place['PORT']}" if place["PORT"] else host
    process = Process(
        "web",
        python(*given),
        environment={
            **os.environ,
            "DATABASE_URL": f"postgres://{user}{password}@{at}/{name}",
            "SECRET_KEY": settings.SECRET_KEY,
            "TALLYBOOK_DATA_DIR": str(folder),
            "TALLYBOOK_PORT": str(port),
            **environment,
        },
        log=folder / "web.log",
        port=port,
    )
    try:
        process.start()
        wait_until(lambda: page_answers("127.0.0.1", port, "/readyz"), what="the web server")
        yield Served(f"http://127.0.0.1:{port}", process)
    except BaseException:
        print((folder / "web.log").read_text(errors="replace")[-4000:])
        raise
    finally:
        process.kill()
        shutil.rmtree(folder, ignore_errors=True)


class Served:
    """A running server: where it is, and its process."""

    def __init__(self, url, process):
        self.url = url
        self.process = process
