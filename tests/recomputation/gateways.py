"""Logs of gateways."""

import base64
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from tests.recomputation.files import Record, at, decoded, inner, records, table
from tests.recomputation.providers import anthropic_usage, openai_usage, said
from tests.recomputation.rows import BadRecordError, Row, added, count

_ZERO_UUID = "00000000-0000-0000-0000-000000000000"


def status_of(code: Any) -> str:
    """What an HTTP status means."""
    number = count(code)
    return "error" if number is not None and number >= 400 else "ok"


def rows_of(path: Path) -> Iterator[Record]:
    """The rows of a page, a table or lines."""
    for record in table(path) if path.suffix == ".csv" else records(path):
        page = said(
            record.get("result"), record.get("logs"), record.get("items"),
            at(record, "data", "items"), record.get("data"),
        )  # fmt: skip
        yield from (
            page if isinstance(page, list) else [page] if isinstance(page, dict) else [record]
        )


def litellm(path: Path) -> Iterator[Row]:
    """Payloads of callbacks and rows of the spend table, which share ids."""
    for number, record in enumerate(rows_of(path)):
        metadata = inner(record.get("metadata"))
        usage = inner(metadata.get("usage_object")) or inner(
            metadata.get("additional_usage_values")
        )
        if record.get("call_type") == "call_mcp_tool":
            continue
        failed = record.get("status") == "failure"
        sent, answered = count(record["prompt_tokens"]), count(record["completion_tokens"])
        told = openai_usage(usage) if usage else dict.fromkeys(("read", "write", "reasoning"))
        read, write = told["read"], told["write"]
        if read is None:
            read = count(usage.get("cache_read_input_tokens"))
        if sent is not None and added(sent, answered, read, write) == count(
            record.get("total_tokens")
        ):
            sent = added(sent, read, write)
        counts = {"input": sent, "output": answered, "read": read, "write": write}
        yield Row(
            key=_litellm_key(record, path, number), at=str(record.get("startTime")),
            session=record.get("session_id") or record.get("trace_id") or "",
            status="error" if failed else "ok", model=record.get("model") or "", reasoning=told["reasoning"],
            **({} if failed else counts),
        )  # fmt: skip


def _litellm_key(record: Record, path: Path, number: int) -> Any:
    key = record.get("id") or record.get("request_id") or (path, number)
    if isinstance(key, str) and key.startswith("resp_"):
        text = base64.b64decode(key[5:] + "==").decode("utf-8", "replace")
        found = re.search(r"response_id:(\S+)", text)
        return found[1] if found else key
    return key


def openrouter(path: Path) -> Iterator[Row]:
    """Generations by the tokens of the model's own tokenizer, and the table of activity."""
    for row in rows_of(path):
        try:
            if "generation_id" in row:
                Decimal(row["cost_total"])
                names = ("tokens_prompt", "tokens_cached", "tokens_completion", "tokens_reasoning")
                key = row["generation_id"]
            else:
                names = (
                    "native_tokens_prompt", "native_tokens_cached", "native_tokens_completion",
                    "native_tokens_reasoning",
                )  # fmt: skip
                key = row["id"]
            sent, read, answered, reasoning = (count(row.get(name)) for name in names)
            yield Row(
                key=key, at=row["created_at"], model=row.get("model") or row["model_permaslug"],
                input=sent, read=read, write=count(row.get("native_tokens_cache_creation")),
                output=answered, reasoning=reasoning,
            )  # fmt: skip
        except (BadRecordError, InvalidOperation):
            continue


def helicone(path: Path) -> Iterator[Row]:
    """Whether caches lie inside of the prompt is what the total says."""
    for row in rows_of(path):
        if not row["request_created_at"].startswith("20"):
            continue
        code = int(row["response_status"])
        sent, answered, total = (
            count(row.get(f"{name}_tokens")) for name in ("prompt", "completion", "total")
        )
        read = count(row.get("prompt_cache_read_tokens"))
        write = count(row.get("prompt_cache_write_tokens"))
        if sent is not None and total == added(sent, answered, read, write):
            sent = added(sent, read, write)
        failed = code < 0 or code >= 400
        if code == -3 and answered is not None:
            failed = False  # cancelled, after some of it was answered
        status = "pending" if code == -2 else "error" if failed else "ok"
        properties = inner(row.get("request_properties"))
        yield Row(
            key=row["request_id"], at=row["request_created_at"], status=status,
            session=properties.get("Helicone-Session-Id") or "",
            model=row.get("response_model") or row.get("request_model") or "",
            input=sent, read=read, write=write, output=answered,
        )  # fmt: skip


def portkey(path: Path) -> Iterator[Row]:
    """Units of the row; the body's usage knows of the cache."""
    for row in records(path):
        if Decimal(str(row["cost"])) < 0:
            continue
        answer = row.get("response") or {}
        usage = answer.get("usage") or {}
        counts = anthropic_usage(usage) if "input_tokens" in usage else openai_usage(usage)
        failed = status_of(row["response_status_code"]) == "error"
        if not usage and not failed:
            counts = {"input": count(row["req_units"]), "output": count(row["res_units"])}
        yield Row(
            key=answer.get("id") or row["id"], at=row["created_at"],
            session=row.get("trace_id") or "",
            status="error" if failed else "ok", model=row["ai_model"], **counts,
        )  # fmt: skip


def cloudflare_logs(path: Path) -> Iterator[Row]:
    """Rows of the logs page."""
    for row in rows_of(path):
        try:
            failed = status_of(row.get("status_code")) == "error"
            counts = {"input": count(row["tokens_in"]), "output": count(row["tokens_out"])}
            yield Row(
                key=row["id"], at=row["created_at"], model=row.get("model") or "",
                status="error" if failed else "ok", **({} if failed else counts),
            )  # fmt: skip
        except BadRecordError:
            continue


def cloudflare_logpush(path: Path) -> Iterator[Row]:
    """Events without tokens and ids: equal ones are told apart by how often they occurred."""
    seen: dict[str, int] = {}
    for row in records(path):
        same = repr(sorted(row.items(), key=lambda item: item[0]))
        seen[same] = seen.get(same, 0) + 1
        if str(row["Timestamp"]).startswith("2026-04-31"):
            continue
        yield Row(
            key=(same, seen[same]), at=str(row["Timestamp"]), model=row["Model"],
            status=status_of(row["StatusCode"]),
        )  # fmt: skip


def envoy(path: Path) -> Iterator[Row]:
    """Access log: rows of tools are not for a model; the request's id is not unique."""
    for row in records(path):
        told = {key.removeprefix("gen_ai."): value for key, value in row.items()}
        if any(name.startswith("mcp.") for name in row) or not told.get("request.model"):
            continue
        try:
            yield Row(
                key=(row["x-request-id"], row["start_time"]), at=row["start_time"],
                session=row.get("session.id") or "", status=status_of(row["response_code"]),
                model=told.get("response.model") or told["request.model"],
                input=count(told.get("usage.input_tokens")),
                read=count(told.get("usage.cached_input_tokens")),
                write=count(told.get("usage.cache_creation_input_tokens")),
                output=count(told.get("usage.output_tokens")),
            )  # fmt: skip
        except BadRecordError:
            continue


def kong(path: Path) -> Iterator[Row]:
    """What a second plugin asked for the same request is a part of it."""
    for record in records(path):
        for part, call in enumerate((record.get("ai") or {}).values()):
            usage, meta = call.get("usage") or {}, call["meta"]
            failed = status_of(record["response"]["status"]) == "error"
            try:
                counts = openai_usage(usage) if usage and not failed else {}
            except BadRecordError:
                continue
            model = said(meta.get("response_model"), meta.get("request_model"), "")
            yield Row(
                key=record["request"]["id"], part=part, at=record["started_at"],
                status="error" if failed else "ok", model=model,
                **{kind: counts.get(kind) for kind in ("input", "output", "reasoning")},
            )  # fmt: skip


def newapi(path: Path) -> Iterator[Row]:
    """Type 2 is a call, 5 one that failed; others move money alone."""
    for row in rows_of(path):
        other = inner(row.get("other"))
        if row["type"] not in (2, 5) or (row["type"] == 2 and row["quota"] < 0):
            continue
        if isinstance(row["quota"], float):
            continue
        try:
            sent, answered = count(row["prompt_tokens"]), count(row["completion_tokens"])
        except BadRecordError:
            continue
        read, write = count(other.get("cache_tokens")), count(other.get("cache_creation_tokens"))
        if row["type"] == 5:
            yield Row(key=(path.name, row["id"]), status="error", model=row["model_name"])
            continue
        if not sent and not answered:
            sent = answered = None
        yield Row(
            key=(row["created_at"], row["quota"], row["model_name"]), at=row["created_at"],
            model=row["model_name"], input=_newapi_input(other, row, sent, read, write),
            read=read, write=write, output=answered,
        )  # fmt: skip


def _newapi_input(
    other: Record, row: Record, sent: int | None, read: int | None, write: int | None
) -> int | None:
    """The quota says whether the prompt holds the cache: it was charged by a formula."""
    if not write or sent is None:
        return sent
    ratio, group = (Decimal(str(other.get(name, 1))) for name in ("model_ratio", "group_ratio"))
    answer = row["completion_tokens"] * Decimal(str(other.get("completion_ratio", 1)))
    cached = (read or 0) * Decimal(str(other.get("cache_ratio", 1)))
    cached += write * Decimal(str(other.get("cache_creation_ratio", "1.25")))
    apart = (sent + cached + answer) * ratio * group
    inside = (sent - (read or 0) - write + cached + answer) * ratio * group
    is_apart = abs(apart - row["quota"]) < abs(inside - row["quota"])
    return added(sent, read, write) if is_apart else sent


def bifrost(path: Path) -> Iterator[Row]:
    """Rows that change until they are done."""
    for row in rows_of(path):
        usage = row.get("token_usage")
        status = {"success": "ok", "processing": "pending"}.get(row["status"], "error")
        try:
            yield Row(
                key=row["id"], at=row["timestamp"], status=status, model=row["model"],
                session=row.get("parent_request_id") or "",
                **(openai_usage(usage) if usage else {}),
            )  # fmt: skip
        except BadRecordError:
            continue


def databricks(path: Path) -> Iterator[Row]:
    """A request's invocations: one that failed was an attempt of the next, a part if it used something."""
    rows = list(rows_of(path))
    answered_ones = {row.get("request_id") for row in rows if row["status_code"] in (200, "200")}
    for row in rows:
        if row.get("service_type") == "MCP_SERVICE":
            continue
        try:
            failed = status_of(row["status_code"]) == "error"
            sent = count(row.get("input_tokens", row.get("input_token_count")))
            answered = count(row.get("output_tokens", row.get("output_token_count")))
        except BadRecordError:
            continue
        if failed and not sent and row.get("request_id") in answered_ones:
            continue
        yield Row(
            key=row.get("invocation_id") or row["databricks_request_id"],
            part=int(failed and row.get("request_id") in answered_ones),
            at=row.get("event_time") or row["request_time"],
            model=row.get("destination_model") or "",
            status="error" if failed else "ok",
            **({} if failed and not sent else {"input": sent, "output": answered}),
        )  # fmt: skip


def azure_apim(path: Path) -> Iterator[Row]:
    """A long call has several rows, of which the one that names the deployment counts."""
    for row in records(path):
        if row["DeploymentName"] and row["CorrelationId"]:
            yield Row(
                key=row["CorrelationId"], at=row["TimeGenerated"], model=row["ModelName"],
                input=count(row["PromptTokens"]), output=count(row["CompletionTokens"]),
            )  # fmt: skip


def cloudevents(path: Path) -> Iterator[Row]:
    """Envelopes around events of our own names, a provider's answer, or a payload of LiteLLM."""
    for event in records(path):
        within = event.get("data") or decoded(base64.b64decode(event.get("data_base64") or ""))
        for place, told in enumerate(within if isinstance(within, list) else [within or {}]):
            counts = _enveloped(told)
            if counts["input"] is None and counts["output"] is None:
                continue
            yield Row(
                key=told.get("id") or (event["source"], event["id"], place),
                at=event.get("time") or "", model=told.get("model") or "",
                session=told.get("session_id") or told.get("trace_id") or "", **counts,
            )  # fmt: skip


def _enveloped(told: Record) -> dict[str, int | None]:
    usage = inner(inner(told.get("metadata")).get("usage_object")) or inner(told.get("usage"))
    if usage:
        return openai_usage(usage)
    return {kind: count(told.get(name)) for kind, name in _NATIVE.items()}


_NATIVE = {
    "input": "input_tokens",
    "read": "cache_read_input_tokens",
    "write": "cache_write_input_tokens",
    "output": "output_tokens",
    "reasoning": "reasoning_output_tokens",
}


def native(path: Path) -> Iterator[Row]:
    """Tallybook's own events: a time with its offset, and no name that isn't known."""
    for number, record in enumerate(records(path)):
        moment = record.get("started_at") or ""
        if not re.search(r"(Z|[+-]\d\d:\d\d)$", moment) or "inputTokens" in record:
            continue
        yield Row(
            key=record.get("id") or (path, number), part=record.get("part", 0), at=moment,
            session=record.get("session_id") or "", model=record["model"],
            status=record.get("status", "ok"),
            **{kind: count(record.get(name)) for kind, name in _NATIVE.items()},
        )  # fmt: skip
