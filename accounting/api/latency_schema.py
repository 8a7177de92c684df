"""The shapes of latencies, for the OpenAPI schema; accounting.queries.writing_latency fills them."""

from typing import Any

from rest_framework import serializers

from accounting.api.fields import SparseSerializer
from accounting.api.serializers import PagedSerializer, RangeSerializer


class PercentilesSerializer(serializers.Serializer[Any]):
    """One latency in ms, within 2.5 %; null where no request tells it."""

    requests = serializers.IntegerField(help_text="How many requests tell it.")
    p50_ms = serializers.FloatField(allow_null=True)
    p95_ms = serializers.FloatField(allow_null=True)
    p99_ms = serializers.FloatField(allow_null=True)


class LatenciesSerializer(serializers.Serializer[Any]):
    """How long requests took."""

    ttft = PercentilesSerializer(help_text="Until the first token.")
    tpot = PercentilesSerializer(help_text="For each token after the first.")
    duration = PercentilesSerializer(help_text="Until the end.")


class LatencyRowSerializer(SparseSerializer, LatenciesSerializer):
    """One bucket of one group."""

    bucket = serializers.CharField(allow_null=True, help_text="A day, or an hour with its offset.")
    group = serializers.CharField(allow_null=True)
    group_label = serializers.CharField(allow_null=True)
    sub = serializers.CharField(allow_null=True)
    sub_label = serializers.CharField(allow_null=True)


class LatencyAnswerSerializer(PagedSerializer, RangeSerializer):
    """Latencies by bucket, group and sub."""

    is_slow = serializers.BooleanField(
        help_text="Whether single requests were read: only model and provider are kept by hours."
    )
    totals = LatenciesSerializer()
    rows = LatencyRowSerializer(many=True)
