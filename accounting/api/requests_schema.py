"""The shapes of requests and turns, for the OpenAPI schema; queries.writing_requests fills them."""

from typing import Any

from rest_framework import serializers

from accounting.api.fields import SparseSerializer
from accounting.api.serializers import (
    PagedSerializer,
    RangeSerializer,
    TotalsSerializer,
    amount,
)
from accounting.models.ledger import COST_STATES

_EVENT = "Its key, 32 hexadecimal digits; explain takes it."


def _text(**told: str) -> serializers.CharField:
    """A text that is null where nobody told it."""
    return serializers.CharField(allow_null=True, **told)  # type: ignore[arg-type]


def _count() -> serializers.IntegerField:
    """A count that is null while unknown."""
    return serializers.IntegerField(allow_null=True)


class _LedgerRow(SparseSerializer):
    """What every row of the ledger tells."""

    event = serializers.CharField(help_text=_EVENT)
    occurred_at = serializers.DateTimeField()
    part = serializers.IntegerField(help_text="0 is the request, others are priced beside it.")
    status = serializers.CharField()
    agent = _text()
    provider = serializers.CharField(allow_blank=True)
    model = serializers.CharField(allow_blank=True)
    operation = _text()
    finish_reason = _text()
    input_tokens = _count()
    cache_read_input_tokens = _count()
    cache_write_input_tokens = _count()
    output_tokens = _count()
    max_output_tokens = _count()
    duration_ms = serializers.FloatField(allow_null=True)
    cost_state = serializers.ChoiceField(choices=COST_STATES)
    currency = _text()
    cost = amount(allow_null=True)
    unpriced_tokens = serializers.IntegerField()


class RequestRowSerializer(_LedgerRow):
    """One request, or a part of one; null is unknown or not told."""

    project = serializers.CharField(help_text="Its slug.")
    key = _text(help_text="The name of the API key that brought it.")
    user = _text()
    team = _text()
    session_id = _text()
    request_model = _text()
    http_status = _count()
    error_type = _text()
    error_origin = _text()
    usage_state = serializers.CharField()
    reasoning_output_tokens = _count()
    ttft_ms = serializers.FloatField(allow_null=True)
    credits = amount(allow_null=True)
    reported_cost = amount(allow_null=True)
    reported_currency = _text()
    price_version = serializers.IntegerField()
    import_id = _count()
    import_name = _text()
    path = _text(help_text="Inside an import of many files.")
    line = _count()
    byte_offset = _count()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared fields and source, which the framework keeps for itself."""
        return {**super().get_fields(), "source": serializers.CharField(required=False)}


class RequestsAnswerSerializer(PagedSerializer, RangeSerializer):
    """Requests, newest first, with the totals of all pages."""

    totals = TotalsSerializer()
    rows = RequestRowSerializer(many=True)


class TurnRowSerializer(_LedgerRow):
    """One row of a session. grown: input tokens more than the turn before in its agent's chain."""

    turn = serializers.IntegerField(
        allow_null=True, help_text="Null for parts, failures and corrections."
    )
    is_sidechain = serializers.BooleanField()
    input_output_ratio = amount(allow_null=True)
    cost_so_far = amount(allow_null=True)
    grown = _count()
    is_truncated = serializers.BooleanField()
    is_continuation = serializers.BooleanField()
    is_context_cut = serializers.BooleanField()


class SessionTurnsSerializer(PagedSerializer):
    """One session: its sums, and a page of its rows in the order in which they started."""

    session_id = serializers.CharField()
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField()
    time_zone = serializers.CharField()
    totals = TotalsSerializer()
    rows = TurnRowSerializer(many=True)
