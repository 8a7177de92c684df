"""Parameters that many addresses have, written once in the OpenAPI schema: the filter is long."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

_METHODS = ("get", "post", "put", "patch", "delete")


def with_shared_parameters(result: dict[str, Any], **_context: object) -> dict[str, Any]:
    """The schema with repeated parameters as references: a postprocessing hook of drf-spectacular."""
    uses = Counter(json.dumps(one, sort_keys=True) for told in _lists(result) for one in told)
    shared = {text: "" for text, count in uses.items() if count > 1}
    names: set[str] = set()
    for text in shared:
        shared[text] = _name(json.loads(text)["name"], names)
    for told in _lists(result):
        told[:] = [_reference(one, shared) for one in told]
    result["components"]["parameters"] = {
        name: json.loads(text) for text, name in sorted(shared.items(), key=lambda pair: pair[1])
    }
    return result


def _lists(result: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    for path in result["paths"].values():
        for method in _METHODS:
            if "parameters" in path.get(method, {}):
                yield path[method]["parameters"]


def _reference(parameter: dict[str, Any], shared: dict[str, str]) -> dict[str, Any]:
    name = shared.get(json.dumps(parameter, sort_keys=True))
    return {"$ref": f"#/components/parameters/{name}"} if name else parameter


def _name(parameter: str, taken: set[str]) -> str:
    """A name for a component, which may hold letters, digits, '.', '-' and '_'."""
    words = parameter.replace("!", "_is_not").replace("~", "_contains")
    name = stem = re.sub(r"[^A-Za-z0-9._-]+", "_", words).strip("_")
    number = 1
    while name in taken:
        number += 1
        name = f"{stem}_{number}"
    taken.add(name)
    return name
