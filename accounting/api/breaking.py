"""What a change of the OpenAPI schema takes from programs that were written for the older one.

An answer may gain fields and lose none; a question may gain parameters that can be left out. Words are
compared both ways: a program may send any that were taken, and be surprised by one it does not know.
"""

from collections.abc import Iterator, Mapping
from typing import Any

type Schema = Mapping[str, Any]
_METHODS = ("get", "post", "put", "patch", "delete")
#: What a value is, beside its enum, its fields and its parts.
_KINDS = ("type", "format", "nullable", "pattern")
_PARTS = ("oneOf", "anyOf", "allOf")


def breaking_changes(old: Schema, new: Schema) -> list[str]:
    """Every change that breaks a client, as a sentence that names the place; none is []."""
    return list(dict.fromkeys(_Comparison(old, new).changes()))


class _Comparison:
    """Two schemas, with references followed on each side."""

    def __init__(self, old: Schema, new: Schema) -> None:
        self.old, self.new = old, new
        self._inside: set[tuple[str, str]] = set()

    def changes(self) -> Iterator[str]:
        for path, methods in self.old["paths"].items():
            for method in _METHODS:
                if method in methods:
                    yield from self._operation(f"{method.upper()} {path}", path, method)

    def _operation(self, place: str, path: str, method: str) -> Iterator[str]:
        old, new = self.old["paths"][path][method], self.new["paths"].get(path, {}).get(method)
        if new is None:
            yield f"{place} is gone"
            return
        yield from self._parameters(place, old, new)
        yield from self._body(place, old, new)
        for status, told in old["responses"].items():
            if status.startswith("2") or status == "default":
                yield from self._answer(f"{place} {status}", told, new["responses"].get(status))

    def _parameters(self, place: str, old: Schema, new: Schema) -> Iterator[str]:
        before, after = self._named(self.old, old), self._named(self.new, new)
        for (where, name), one in before.items():
            here = f"{place}: the {where} parameter {name}"
            other = after.get((where, name))
            if other is None:
                yield f"{here} is gone"
                continue
            if other.get("required") and not one.get("required"):
                yield f"{here} must be given now"
            for rule in ("style", "explode"):
                if one.get(rule) != other.get(rule):
                    yield f"{here} has another {rule}"
            yield from self._value(here, one.get("schema", {}), other.get("schema", {}), sent=True)
        for (where, name), other in after.items():
            if (where, name) not in before and other.get("required"):
                yield f"{place}: the new {where} parameter {name} must be given"

    def _body(self, place: str, old: Schema, new: Schema) -> Iterator[str]:
        before, after = old.get("requestBody", {}), new.get("requestBody", {})
        if after.get("required") and not before.get("required"):
            yield f"{place}: a body must be sent now"
        contents = after.get("content", {})
        for kind, told in before.get("content", {}).items():
            here = f"{place}: the body {kind}"
            if kind not in contents:
                yield f"{here} is taken no more"
                continue
            yield from self._value(here, told["schema"], contents[kind]["schema"], sent=True)

    def _answer(self, place: str, old: Schema, new: Schema | None) -> Iterator[str]:
        if new is None:
            yield f"{place} is answered no more"
            return
        for kind, told in old.get("content", {}).items():
            other = new.get("content", {}).get(kind)
            if other is None:
                yield f"{place}: {kind} is answered no more"
                continue
            yield from self._value(
                place, told.get("schema", {}), other.get("schema", {}), sent=False
            )

    def _value(self, place: str, old: Schema, new: Schema, *, sent: bool) -> Iterator[str]:
        both = (str(old.get("$ref", "")), str(new.get("$ref", "")))
        if all(both) and both in self._inside:
            return  # a shape that holds itself
        self._inside.add(both)
        yield from self._shape(place, _followed(self.old, old), _followed(self.new, new), sent=sent)
        self._inside.discard(both)

    def _shape(self, place: str, old: Schema, new: Schema, *, sent: bool) -> Iterator[str]:
        for rule in _KINDS:
            before, after = old.get(rule), new.get(rule)
            if before != after and not _is_harmless(rule, after, sent=sent):
                yield f"{place}: {rule} was {before}, is {after}"
        yield from _words(place, old, new, sent=sent)
        yield from self._fields(place, old, new, sent=sent)
        for part in ("items", "additionalProperties"):
            before, after = old.get(part), new.get(part)
            if isinstance(before, Mapping) and isinstance(after, Mapping):
                yield from self._value(f"{place}, each", before, after, sent=sent)
            elif isinstance(before, Mapping) or (sent and after is False and before is not False):
                yield f"{place}: what it holds is said no more"
        for part in _PARTS:
            before, after = old.get(part, []), new.get(part, [])
            if len(before) != len(after):
                yield f"{place}: {part} had {len(before)} choices, has {len(after)}"
                continue
            for one, other in zip(before, after, strict=True):
                yield from self._value(place, one, other, sent=sent)

    def _fields(self, place: str, old: Schema, new: Schema, *, sent: bool) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        for name, told in before.items():
            if name not in after:
                yield f"{place}: the field {name} is gone"
            else:
                yield from self._value(f"{place}: {name}", told, after[name], sent=sent)
        needed, need = set(old.get("required", ())), set(new.get("required", ()))
        if sent:
            for name in sorted(need - needed):
                yield f"{place}: the field {name} must be sent now"
        else:
            for name in sorted((needed - need) & after.keys()):
                yield f"{place}: the field {name} may be missing now"

    def _named(self, whole: Schema, operation: Schema) -> dict[tuple[str, str], Schema]:
        told = [_followed(whole, one) for one in operation.get("parameters", ())]
        return {(one["in"], one["name"]): one for one in told}


def _is_harmless(rule: str, after: object, *, sent: bool) -> bool:
    """Whether a program may be told less, or send more, without noticing."""
    if rule == "nullable":
        return bool(after) is sent
    return rule == "pattern" and (not sent or after is None)


def _words(place: str, old: Schema, new: Schema, *, sent: bool) -> Iterator[str]:
    before, after = old.get("enum"), new.get("enum")
    if before is None and after is None:
        return
    if before is None or after is None:
        if (after is not None) is sent:
            yield (
                f"{place}: any word was right, now only some are"
                if sent
                else (f"{place}: the words are listed now")
            )
        elif not sent:
            yield f"{place}: any word may come now"
        return
    gone = [str(word) for word in before if word not in after]
    come = [str(word) for word in after if word not in before]
    if sent and gone:
        yield f"{place}: {', '.join(gone)} is taken no more"
    if not sent and come:
        yield f"{place}: {', '.join(come)} may come now"


def _followed(whole: Schema, value: Schema) -> Schema:
    """The schema that a reference, or references behind each other, mean."""
    while "$ref" in value:
        found: Schema = whole
        for step in value["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        value = found
    return value
