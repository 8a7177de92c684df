"""The shapes of benchmark runs, for the OpenAPI schema; accounting.queries.writing_runs fills them."""

from typing import Any

from rest_framework import serializers

from accounting.api.fields import SparseSerializer
from accounting.api.serializers import (
    PagedSerializer,
    TotalsSerializer,
    amount,
    by_currency,
)


class ToldSerializer(serializers.Serializer[Any]):
    """What a run's own summary says; null is what it leaves out."""

    requests = serializers.IntegerField(allow_null=True)
    input_tokens = serializers.IntegerField(allow_null=True)
    cache_read_input_tokens = serializers.IntegerField(allow_null=True)
    output_tokens = serializers.IntegerField(allow_null=True)
    reported_cost = amount(allow_null=True)
    reported_currency = serializers.CharField(allow_null=True)
    elapsed_s = serializers.FloatField()
    figures = serializers.DictField(child=serializers.CharField())


class RunRowSerializer(SparseSerializer):
    """A benchmark run: what its requests in the books come to, and what its tool says of it."""

    run_id = serializers.IntegerField()
    tool = serializers.CharField()
    model = serializers.CharField(allow_null=True)
    settings = serializers.DictField(child=serializers.JSONField())
    started_at = serializers.DateTimeField(allow_null=True)
    ttft_ms_p50 = serializers.FloatField(allow_null=True)
    ttft_ms_p95 = serializers.FloatField(allow_null=True)
    tpot_ms_p50 = serializers.FloatField(allow_null=True)
    tpot_ms_p95 = serializers.FloatField(allow_null=True)
    elapsed_s = serializers.FloatField(
        allow_null=True, help_text="From the first start to the last end."
    )
    output_tokens_per_second = amount(allow_null=True)
    cost_per_mtok_output = by_currency()
    told = ToldSerializer(allow_null=True)
    totals = TotalsSerializer()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared fields and label, which the framework keeps for itself."""
        return {**super().get_fields(), "label": serializers.CharField(required=False)}


class RunsAnswerSerializer(PagedSerializer):
    """Benchmark runs, newest first."""

    time_zone = serializers.CharField()
    rows = RunRowSerializer(many=True)
