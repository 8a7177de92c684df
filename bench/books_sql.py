"""The SQL that makes usage up: the same books every time, from one seed."""

from django.db.models import BooleanField, CharField, Field, JSONField

from accounting.models import UsageEvent

#: The last model has no price; the others cost n + 1 times the first, dollars per million tokens.
MODELS = """
    CREATE TEMPORARY TABLE bench_model AS
    SELECT
        n,
        'provider-' || n %% 4 AS provider,
        'model-' || lpad(n::text, 2, '0') AS name,
        CASE WHEN n < 19 THEN 1.00 * (n + 1) END AS price_input,
        CASE WHEN n < 19 THEN 0.10 * (n + 1) END AS price_read,
        CASE WHEN n < 19 THEN 1.25 * (n + 1) END AS price_write,
        CASE WHEN n < 19 THEN 5.00 * (n + 1) END AS price_output
    FROM generate_series(0, 19) AS n
"""
KEYS = """
    CREATE TEMPORARY TABLE bench_key AS
    SELECT row_number() OVER (ORDER BY id) - 1 AS n, id, name, project_id
    FROM accounting_apikey WHERE organization_id = %(organization)s
"""
#: A session belongs to one key, one person and one model, the first ones more often than the last;
#: weekends are a third of other days, nights a quarter of days.
SESSIONS = """
    CREATE TEMPORARY TABLE bench_session AS
    SELECT
        s.n,
        'session-' || lpad(s.n::text, 7, '0') AS session_id,
        %(start)s::timestamptz + day * interval '1 day'
            + (86399 * CASE WHEN night < 0.2 THEN moment ELSE 0.3 + 0.5 * moment END)
              * interval '1 second' AS started_at,
        k.project_id,
        k.id AS api_key_id,
        k.name AS api_key_name,
        'person-' || lpad((2 * k.n + s.n %% 2)::text, 3, '0') AS user_id,
        floor(20 * which_model * which_model)::int AS model,
        'team-' || k.n %% 10 AS team,
        CASE WHEN s.n %% 4 = 0 THEN 'agent-' || s.n %% 5 ELSE '' END AS agent,
        (ARRAY['production', 'staging', 'test'])[1 + floor(3 * other * other)::int] AS environment,
        CASE WHEN s.n %% 7 = 0 THEN 'priority' ELSE '' END AS service_tier,
        'center-' || k.n %% 8 AS cost_center,
        jsonb_build_object('feature', 'feature-' || s.n %% 8) AS tags,
        (ARRAY['gateway', 'agent'])[1 + k.n %% 2] AS source,
        2000 + floor(8000 * other)::bigint AS prompt
    FROM (
        SELECT
            n, random() AS moment, random() AS night, random() AS which_key,
            random() AS which_model, random() AS other,
            (n::bigint * %(days)s / %(sessions)s)::int AS spread
        FROM generate_series(0, %(sessions)s - 1) AS n
    ) AS s
    -- Two of three sessions of a weekend happen on the Wednesday before.
    CROSS JOIN LATERAL (SELECT CASE
        WHEN extract(isodow FROM %(start)s::timestamptz + spread * interval '1 day') >= 6
             AND s.n %% 3 > 0 AND spread >= 4 THEN spread - 4 ELSE spread END AS day) AS d
    JOIN bench_key AS k ON k.n = floor(200 * which_key * sqrt(which_key))::int
"""
INDEX = "CREATE INDEX bench_session_by_start ON bench_session (started_at)"

_TURN = """
    FROM (
        SELECT
            s.*, m.provider, m.name AS model_name, m.price_input, m.price_read, m.price_write,
            m.price_output, t.turn,
            s.started_at + t.turn * interval '53.217 seconds' AS at,
            hashint8(s.n::bigint * 1000 + t.turn) & 1048575 AS chance,
            md5(s.n || ':' || t.turn) AS digest
        FROM bench_session AS s
        JOIN bench_model AS m ON m.n = s.model
        CROSS JOIN generate_series(0, %(turns)s - 1) AS t (turn)
        WHERE s.started_at >= %(day)s::timestamptz - interval '2 hours'
          AND s.started_at < %(next_day)s::timestamptz
    ) AS r
    -- What a request sends: the prompt and all that was said before; it fails once in a hundred times.
    CROSS JOIN LATERAL (SELECT
        chance %% 100 = 0 AS failed,
        prompt + turn * 600 AS input,
        CASE WHEN turn = 0 THEN 0 ELSE prompt + (turn - 1) * 600 END AS read,
        CASE WHEN turn = 0 THEN prompt ELSE 600 END AS written,
        50 + chance %% 1400 AS output
    ) AS u
    CROSS JOIN LATERAL (SELECT
        CASE WHEN failed THEN 0 ELSE (input - read - written) * price_input * 1e-6 END AS c_input,
        CASE WHEN failed THEN 0 ELSE read * price_read * 1e-6 END AS c_read,
        CASE WHEN failed THEN 0 ELSE written * price_write * 1e-6 END AS c_write,
        CASE WHEN failed THEN 0 ELSE output * price_output * 1e-6 END AS c_output,
        price_input IS NOT NULL AS priced
    ) AS c
    WHERE at >= %(day)s::timestamptz AND at < %(next_day)s::timestamptz
    ORDER BY at
"""
_COST = "CASE WHEN priced THEN trim_scale(c_input + c_read + c_write + c_output) END"
#: Column -> what a request writes there; every other column is empty.
_VALUES = {
    "organization_id": "%(organization)s",
    "dedupe_key": "decode(digest, 'hex')",
    "month": "date_trunc('month', at AT TIME ZONE 'UTC')::date",
    "occurred_at": "at",
    "part": "0",
    "purpose": "'usage'",
    "status": "CASE WHEN failed THEN 'error' ELSE 'ok' END",
    "response_id": "'msg_' || left(digest, 24)",
    "project_id": "project_id",
    "project_basis": "'key'",
    "cost_center": "cost_center",
    "api_key_id": "api_key_id",
    "api_key_name": "api_key_name",
    "session_id": "session_id",
    "agent": "agent",
    "user_id": "user_id",
    "team": "team",
    "environment": "environment",
    "tags": "tags",
    "time_quality": "'exact'",
    "source": "source",
    "provider": "provider",
    "model": "model_name",
    "request_model": "model_name",
    "response_model": "model_name",
    "operation": "'chat'",
    "service_tier": "service_tier",
    "http_status": "CASE WHEN failed THEN 529 ELSE 200 END",
    "error_type": "CASE WHEN failed THEN 'overloaded_error' ELSE '' END",
    "error_origin": "CASE WHEN failed THEN 'upstream' ELSE '' END",
    "finish_reason": "CASE WHEN failed THEN '' WHEN chance %% 50 = 1 THEN 'length' ELSE 'stop' END",
    "billable": "true",
    "input_tokens": "CASE WHEN NOT failed THEN input END",
    "cache_read_input_tokens": "CASE WHEN NOT failed THEN read END",
    "cache_write_input_tokens": "CASE WHEN NOT failed THEN written END",
    "output_tokens": "CASE WHEN NOT failed THEN output END",
    "max_output_tokens": "4096",
    "duration_ms": "900 + output * 14 + chance %% 300",
    "ttft_ms": "250 + chance %% 1150",
    "tpot_ms": "9 + chance %% 15",
    "usage_state": "CASE WHEN failed THEN 'missing' ELSE 'reported' END",
    "content_digest": "decode(digest, 'hex')",
    "cost_state": "CASE WHEN priced THEN 'priced' ELSE 'unpriced' END",
    "currency": "CASE WHEN priced THEN 'USD' ELSE '' END",
    "cost": _COST,
    "cost_input": "CASE WHEN priced THEN trim_scale(c_input) END",
    "cost_cache_read": "CASE WHEN priced THEN trim_scale(c_read) END",
    "cost_cache_write": "CASE WHEN priced THEN trim_scale(c_write) END",
    "cost_output": "CASE WHEN priced THEN trim_scale(c_output) END",
    "cost_other": "CASE WHEN priced THEN 0 END",
    "cost_base": _COST,
    "unpriced_tokens": "CASE WHEN priced OR failed THEN 0 ELSE input + output END",
    "price_version": "%(version)s",
    "import_id": "%(import)s",
    "path": "'bench.jsonl'",
    "line": "n::bigint * %(turns)s + turn + 1",
    "byte_offset": "0",
}


def columns_of_events() -> dict[str, str]:
    """Every column of the ledger that the database doesn't fill itself, with what is written there."""
    fields = [
        field
        for field in UsageEvent._meta.local_concrete_fields  # noqa: SLF001
        if field.column
    ]
    return {
        field.column: _VALUES.get(field.column) or _empty(field)
        for field in fields
        if field.column in _VALUES or field.name != "received_at"
    }


def events() -> str:
    """The SELECT of one day's requests, in the order of columns_of_events."""
    return f"SELECT {', '.join(columns_of_events().values())} {_TURN}"


def _empty(field: "Field[object, object]") -> str:
    if field.null:
        return "NULL"
    if isinstance(field, BooleanField):
        return "false"
    if isinstance(field, JSONField):
        return "'{}'::jsonb"
    if isinstance(field, CharField):
        return "''"
    raise ValueError(f"{field.name} needs a value")
