"""A whole Tallybook of its own for a browser: `manage.py up` on a temporary folder and a free port."""

import json
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).parents[2]
#: Without a window of its own it opens a page three times as fast as the whole of Chromium.
SHELL, WHOLE = Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium")
CHROMIUM = SHELL if SHELL.exists() else WHOLE
NEEDED = (
    "the browser tests need Chromium: apt-get install -y chromium-headless-shell fonts-noto-cjk"
)
#: Not below the test's own folder: as root, that is closed to the server's account.
BASE = Path("/tmp")
START_S = 300
LINK = re.compile(r"Sign in: (http://\S+?)(/sign-in/\S+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A running site. link: the printed path that signs in once."""

    url: str
    link: str
    environment: dict[str, str]

    def manage(self, *words: str) -> list[dict]:
        """What a command of the same books prints with --json, one object per line."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.stdout or done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


@contextmanager
def running_site(
    more: Mapping[str, str] = MappingProxyType({}), prepare: Callable[[Path], None] | None = None
) -> Iterator[Site]:
    """Start the site, give it, and stop everything it started.

    more: variables of its environment. prepare: what is done with its data folder before.
    """
    folder = Path(tempfile.mkdtemp(prefix="tallybook-browser-", dir=BASE))
    if prepare:
        prepare(folder)
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY"}
        and not name.startswith("TALLYBOOK_")
    }
    environment |= {"TALLYBOOK_DATA_DIR": str(folder), "TALLYBOOK_PORT": str(_free_port())}
    environment |= more
    with (
        (folder / "up.log").open("w") as log,
        subprocess.Popen(
            [sys.executable, "manage.py", "up"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as up,
    ):
        try:
            url, link = _announced(up, folder / "up.log")
            yield Site(url=url, link=link, environment=environment)
        finally:
            up.send_signal(signal.SIGTERM)
            try:
                up.wait(timeout=60)
            finally:
                up.kill()
                shutil.rmtree(folder, ignore_errors=True)


def _announced(up: subprocess.Popen[str], log: Path) -> tuple[str, str]:
    """The address and the path of the link, as soon as they are printed."""
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_pass_on, args=(up, lines), daemon=True).start()
    seen = ""
    while True:
        try:
            line = lines.get(timeout=START_S)
        except queue.Empty:
            raise AssertionError(f"no link after {START_S} s: {seen}{log.read_text()}") from None
        if not line:
            raise AssertionError(f"`up` ended: {seen}{log.read_text()}")
        seen += line
        if found := LINK.search(line):
            return found[1], found[2]


def _pass_on(up: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    assert up.stdout is not None
    for line in up.stdout:
        lines.put(line)
    lines.put("")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
