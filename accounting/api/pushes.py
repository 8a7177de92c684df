"""The push endpoint in the OpenAPI schema: its view is ingest's and no question, so it is told here."""

from typing import Any

from accounting.api.problems import PROBLEM

PATH = "/api/v1/events"
SCHEMA_SETTINGS = {"POSTPROCESSING_HOOKS": ["accounting.api.pushes.with_pushes"]}
_ACCEPTED = {
    "type": "object",
    "properties": {
        "import_id": {"type": "integer", "nullable": True},
        "state": {"type": "string"},
        "href": {"type": "string", "nullable": True},
        "reason": {"type": "string", "description": "Why nothing was kept."},
    },
    "required": ["import_id", "state", "href"],
}
_SILENT = "Where the records do not say it themselves."
_PARAMETERS = {
    "project": "The slug of the project that is charged.",
    "format": "Read as this format, without detection.",
    "name": "A file name to show.",
    "provider": _SILENT,
    "model": _SILENT,
    "run": _SILENT,
    "user_id": _SILENT,
    "started_at": _SILENT,
    "input_tokens": _SILENT,
    "counts_as_usage": "Whether benchmark records are usage: true or false.",
}
_EVENT = {
    "description": "A CloudEvent; its data is one record or a list of them.",
    "type": "object",
    "properties": {
        "specversion": {"type": "string"},
        "id": {"type": "string"},
        "source": {"type": "string"},
        "type": {"type": "string"},
        "time": {"type": "string"},
        "data": {},
        "data_base64": {"type": "string"},
    },
    "required": ["id", "source"],
}
_RECORDS = {"description": "A record as a gateway, agent or provider writes it.", "type": "object"}


def with_pushes(result: dict[str, Any], **_context: object) -> dict[str, Any]:
    """The schema with POST /api/v1/events: a postprocessing hook of drf-spectacular."""
    problem = {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    refusals = {
        400: "What was sent can't be read.",
        401: "No key, or none that is valid.",
        403: "The key lacks the scope ingest.",
        408: "The body paused or came too slowly; nothing was kept.",
        409: "The idempotency key was used for another body.",
        413: "Too large.",
        415: "No JSON.",
        422: "Of no known format, or not of the one that was asked for.",
        503: "Nothing was kept; send it again.",
    }
    result["paths"][PATH] = {
        "post": {
            "operationId": "push",
            "description": "Keep usage records, then read them: a 202 is never lost.",
            "tags": ["v1"],
            "security": [{"bearerKey": []}, {"headerKey": []}],
            "parameters": [
                {
                    "in": "query",
                    "name": "wait",
                    "schema": {"type": "boolean", "default": False},
                    "description": "Answer when the records are in the books, with their counts.",
                },
                *(
                    {
                        "in": "query",
                        "name": name,
                        "schema": {"type": "string"},
                        "description": meaning,
                    }
                    for name, meaning in _PARAMETERS.items()
                ),
                {
                    "in": "header",
                    "name": "Idempotency-Key",
                    "schema": {"type": "string", "maxLength": 200},
                },
            ],
            "requestBody": {
                "required": True,
                "content": {
                    "application/json": {
                        "schema": {"oneOf": [_RECORDS, {"type": "array", "items": _RECORDS}]}
                    },
                    "application/x-ndjson": {"schema": {"type": "string"}},
                    "application/cloudevents+json": {"schema": _EVENT},
                    "application/cloudevents-batch+json": {
                        "schema": {"type": "array", "items": _EVENT}
                    },
                },
            },
            "responses": {
                "200": {
                    "description": "Read; or an empty push, which tests the connection.",
                    "content": {"application/json": {"schema": _ACCEPTED}},
                },
                "202": {
                    "description": "Kept.",
                    "content": {"application/json": {"schema": _ACCEPTED}},
                },
                **{
                    str(status): {"description": text, "content": problem}
                    for status, text in refusals.items()
                },
            },
        }
    }
    return result
