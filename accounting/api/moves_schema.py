"""The shapes of changes, caches and projections, for the OpenAPI schema."""

from typing import Any

from rest_framework import serializers

from accounting.api.fields import SparseSerializer
from accounting.api.serializers import (
    PagedSerializer,
    RangeSerializer,
    TotalsSerializer,
    amount,
)
from accounting.domain.bridge import EFFECTS
from accounting.queries.projection import METRICS


class EffectsSerializer(serializers.Serializer[Any]):
    """What each cause adds to the difference, in the order in which they are changed."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """One amount for each effect."""
        return {name: amount() for name in EFFECTS}


class ChangeSerializer(serializers.Serializer[Any]):
    """Why one currency's cost changed; the effects sum to the difference."""

    currency = serializers.CharField()
    before = amount()
    after = amount()
    difference = amount()
    effects = EffectsSerializer()
    corrections_before = amount()
    corrections_after = amount()


class ChangeAnswerSerializer(RangeSerializer):
    """The asked range beside the one it is compared with."""

    compared_from = serializers.DateField()
    compared_to = serializers.DateField()
    compared_until = serializers.DateTimeField(
        help_text="Where the compared range was cut, as the asked one is not over."
    )
    before = TotalsSerializer()
    after = TotalsSerializer()
    rows = ChangeSerializer(many=True)


class CacheCostSerializer(serializers.Serializer[Any]):
    """What caching came to in one currency, against plain input; net is saved less write_premium."""

    read_tokens = serializers.IntegerField()
    read_at_input = amount()
    read_paid = amount()
    saved = amount()
    written_tokens = serializers.IntegerField()
    written_at_input = amount()
    written_paid = amount()
    write_premium = amount()
    net = amount()
    reads_per_write = amount(allow_null=True)
    break_even = amount(allow_null=True)
    unpriced_tokens = serializers.IntegerField()


class CacheTotalsSerializer(serializers.Serializer[Any]):
    """The cache of all groups; coverage: how much of the input reports cache at all."""

    cache_hit_rate = amount(allow_null=True)
    coverage = amount(allow_null=True)
    costs = serializers.DictField(child=CacheCostSerializer())


class CacheRowSerializer(SparseSerializer, CacheTotalsSerializer):
    """The cache of one group: a model, unless another dimension was asked for."""

    group = serializers.CharField(allow_null=True)
    group_label = serializers.CharField(allow_null=True)


class CacheMoveSerializer(serializers.Serializer[Any]):
    """What one group added to the change of the hit rate: whole is own, its rate, and its weight."""

    group = serializers.CharField()
    group_label = serializers.CharField()
    before = amount(allow_null=True)
    after = amount(allow_null=True)
    own = amount()
    weight = amount()
    whole = amount()


class CacheMovesSerializer(serializers.Serializer[Any]):
    """What moved the hit rate between two ranges, the greatest moves first."""

    compared_from = serializers.DateField()
    compared_to = serializers.DateField()
    before = amount(allow_null=True)
    after = amount(allow_null=True)
    groups = CacheMoveSerializer(many=True)


class CacheAnswerSerializer(PagedSerializer, RangeSerializer):
    """What caches saved, by group; moves: null unless another range is compared."""

    totals = CacheTotalsSerializer()
    moves = CacheMovesSerializer(allow_null=True)
    rows = CacheRowSerializer(many=True)


class ProjectionSerializer(serializers.Serializer[Any]):
    """One currency's period, or its credits. low to high is the band; null while there is none."""

    to = serializers.DateField()
    as_of = serializers.DateTimeField()
    metric = serializers.ChoiceField(choices=METRICS)
    currency = serializers.CharField(help_text="Or the kind of credits.")
    spent = amount()
    low = amount(allow_null=True)
    expected = amount(allow_null=True)
    high = amount(allow_null=True)
    method = serializers.CharField()
    history_days = serializers.IntegerField()
    reason = serializers.CharField(allow_null=True, help_text="Why there is no forecast.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared fields and from, which Python does not let us declare."""
        return {"from": serializers.DateField(), **super().get_fields()}


class ProjectionAnswerSerializer(serializers.Serializer[Any]):
    """Where the period will end, each currency apart."""

    time_zone = serializers.CharField()
    rows = ProjectionSerializer(many=True)
