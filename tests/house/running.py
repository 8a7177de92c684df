"""Tallybook's commands, run as a person runs them."""

import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]


def manage(environment, *arguments: str, **options) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def started(environment) -> tuple[subprocess.Popen, str, str]:
    """A running `up`, its address and its sign-in link."""
    up = manage(environment, "up")
    lines = [up.stdout.readline().strip() for _ in range(2)]
    site = re.fullmatch(r"Tallybook: (http://127\.0\.0\.1:\d+)/", lines[0])
    link = re.fullmatch(r"Sign in: (http://127\.0\.0\.1:\d+/sign-in/\S+/)", lines[1])
    assert site, (lines, up.poll() is None or up.stderr.read())
    assert link, lines
    return up, site[1], link[1]


def status_of(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def stop(up: subprocess.Popen, number: signal.Signals) -> str:
    up.send_signal(number)
    _, errors = up.communicate(timeout=300)
    assert up.returncode == 0, errors
    return errors
