"""Writes docs/configuration.md from the list of environment variables.

`python -m accounting.config.documentation`; with `--check` it only says whether the page is right.
"""

import sys
from pathlib import Path

from accounting.config.environment import VARIABLES

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
TOP = """\
# Configuration

Tallybook is configured by environment variables alone. Without any it runs by itself on one
machine; set `DATABASE_URL`, `CELERY_BROKER_URL` and `SECRET_KEY` to run it on several (see
[Running Tallybook](running.md)). An unknown name that begins with `TALLYBOOK_` is an error, so that
a misspelt one does not go unnoticed. An empty variable counts as not set.

This page is written by `make docs` from `accounting/config/environment.py`.

| Variable | Default | Meaning |
|---|---|---|
"""


def page() -> str:
    """The whole page."""
    rows = (
        f"| `{variable.name}` | {f'`{variable.default}`' if variable.default else ''} "
        f"| {variable.meaning} |\n"
        for variable in VARIABLES
    )
    return TOP + "".join(rows)


if __name__ == "__main__":
    if "--check" not in sys.argv:
        PAGE.write_text(page())
    elif not PAGE.exists() or PAGE.read_text() != page():
        sys.exit(f"{PAGE.name} is out of date; run `make docs`")
