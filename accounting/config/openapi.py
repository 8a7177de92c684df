"""Writes docs/openapi.json, the schema that the server serves, and compares it with a kept one.

`python -m accounting.config.openapi` writes it; `--check` only says whether it is right and takes
nothing from programs that know docs/openapi-kept.json; `--keep` lets today's be the one that is kept,
as each release does, and any change that is meant to break programs.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import django

from accounting.api.breaking import breaking_changes

FOLDER = Path(__file__).parents[2] / "docs"
PAGE = FOLDER / "openapi.json"
KEPT = FOLDER / "openapi-kept.json"


def written() -> str:
    """The schema as it is served, a line for each value. Django must be set up."""
    from drf_spectacular.generators import (  # noqa: PLC0415  it reads Django's settings
        SchemaGenerator,
    )

    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return json.dumps(schema, ensure_ascii=False, indent=1) + "\n"


def complaints(text: str) -> list[str]:
    """What is wrong with a schema, beside the files."""
    found = [] if _text(PAGE) == text else [f"{PAGE.name} is out of date; run `make docs`"]
    breaking = breaking_changes(_schema(KEPT), json.loads(text))
    if breaking:
        found.append(
            f"the schema takes from programs what {KEPT.name} promises them;"
            " if that is meant, run `make openapi-keep`:"
        )
        found += [f"- {one}" for one in breaking]
    return found


def main(arguments: list[str]) -> str | None:
    """Do what the arguments say; what is wrong, None where nothing is."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
    django.setup()
    text = written()
    if "--check" in arguments:
        return "\n".join(complaints(text)) or None
    PAGE.write_text(text)
    if "--keep" in arguments:
        KEPT.write_text(text)
    return None


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _schema(path: Path) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(_text(path) or '{"paths": {}}')
    return schema


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
