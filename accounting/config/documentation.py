"""Writes docs/configuration.md from the environment variables, and docs/rest.md from the codes.

`python -m accounting.config.documentation`; with `--check` it only says whether the pages are right.
"""

import sys
from pathlib import Path

from accounting.api import page as rest
from accounting.config.environment import VARIABLES

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
TOP = """\
# Configuration

Tallybook is configured by environment variables alone. Without any it runs by itself on one
machine; set `DATABASE_URL`, `CELERY_BROKER_URL` and `SECRET_KEY` to run it on several (see
[Running Tallybook](running.md)). An unknown name that begins with `TALLYBOOK_` is an error, so that
a misspelt one does not go unnoticed, and so is a value that is not allowed: the start ends with one
line that names the variable. An empty variable counts as not set.

This page is written by `make docs` from `accounting/config/environment.py`.

| Variable | Default | Allowed | Meaning |
|---|---|---|---|
"""


def page() -> str:
    """The whole page."""
    rows = (
        f"| `{variable.name}` | {f'`{variable.default}`' if variable.default else ''} "
        f"| {variable.allowed.words} | {variable.meaning} |\n"
        for variable in VARIABLES
    )
    return TOP + "".join(rows)


if __name__ == "__main__":
    for path, text in ((PAGE, page()), (rest.PAGE, rest.page())):
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path.name} is out of date; run `make docs`")
