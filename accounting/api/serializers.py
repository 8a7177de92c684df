"""The shapes of answers, for the OpenAPI schema; accounting.queries.writing fills them."""

from typing import Any

from rest_framework import serializers


def amount(*, allow_null: bool = False) -> serializers.DecimalField:
    """Money, credits and ratios: decimal text, never a binary fraction."""
    return serializers.DecimalField(max_digits=None, decimal_places=None, allow_null=allow_null)


def by_currency() -> serializers.DictField:
    """An amount for each currency, by its ISO 4217 code."""
    return serializers.DictField(child=amount())


class CostPartsSerializer(serializers.Serializer[Any]):
    """What an amount is made of."""

    input = amount()
    cache_read = amount()
    cache_write = amount()
    output = amount()
    other = amount()


class TotalsSerializer(serializers.Serializer[Any]):
    """Sums and ratios; null is unknown, which is not 0."""

    requests = serializers.IntegerField()
    errors = serializers.IntegerField()  # type: ignore[assignment]  # a field, not the property
    input_tokens = serializers.IntegerField(allow_null=True)
    uncached_input_tokens = serializers.IntegerField(allow_null=True)
    cache_read_input_tokens = serializers.IntegerField(allow_null=True)
    cache_write_input_tokens = serializers.IntegerField(allow_null=True)
    cache_write_1h_input_tokens = serializers.IntegerField(allow_null=True)
    output_tokens = serializers.IntegerField(allow_null=True)
    reasoning_output_tokens = serializers.IntegerField(allow_null=True)
    web_search_requests = serializers.IntegerField(allow_null=True)
    cache_hit_rate = amount(allow_null=True)
    input_output_ratio = amount(allow_null=True)
    cost = by_currency()
    cost_parts = serializers.DictField(child=CostPartsSerializer())
    corrections = by_currency()
    cost_base = amount(allow_null=True)
    cost_base_unknown = serializers.IntegerField()
    cost_base_currencies = serializers.ListField(
        child=serializers.CharField(),
        help_text="Currencies in cost_base; each but the organization's own was converted.",
    )
    credits = amount(allow_null=True)
    credits_unknown = serializers.IntegerField()
    unpriced_requests = serializers.IntegerField()
    unpriced_tokens = serializers.IntegerField()
    assumed_requests = serializers.IntegerField()


class RangeSerializer(serializers.Serializer[Any]):
    """The range that was answered: local days of the zone, half-open."""

    to = serializers.DateField()
    time_zone = serializers.CharField()
    currency = serializers.CharField(help_text="The organization's own, of cost_base.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared fields and from, which Python does not let us declare."""
        return {"from": serializers.DateField(), **super().get_fields()}


class PagedSerializer(serializers.Serializer[Any]):
    """An answer that comes in pages."""

    next = serializers.CharField(
        allow_null=True, help_text="Cursor of the next page; null on the last."
    )


class ProblemSerializer(serializers.Serializer[Any]):
    """An error (RFC 9457). code is stable; parameter names the wrong one, where there is one."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()
    parameter = serializers.CharField(required=False)
