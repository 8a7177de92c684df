"""What the OpenAPI schema says about estimates."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from accounting.api.serializers import amount

ESTIMATE_PARAMETERS = [
    OpenApiParameter("credits", OpenApiTypes.DECIMAL, description="Credits to spend."),
    OpenApiParameter("credit_kind", description="Of which kind; default the organization's own."),
    OpenApiParameter("money", OpenApiTypes.DECIMAL, description="Money to spend, not credits."),
    OpenApiParameter("currency", description="Of money; default the organization's."),
    OpenApiParameter("input_tokens", OpenApiTypes.INT64, description="Tokens to be priced."),
    OpenApiParameter("models", many=True, description="provider/model, side by side."),
    OpenApiParameter(
        "cached_share", OpenApiTypes.DECIMAL, description="Of the input; default as observed."
    ),
    OpenApiParameter("written_share", OpenApiTypes.DECIMAL, description="Of the input."),
    OpenApiParameter("output_per_input", OpenApiTypes.DECIMAL, description="As cached_share."),
    OpenApiParameter(
        "spread",
        OpenApiTypes.DECIMAL,
        default="0.2",
        description="How far the low and the high case lie from a mix nobody observed.",
    ),
    OpenApiParameter("turns", OpenApiTypes.INT, description="Of a session; its history is resent."),
    OpenApiParameter("system_tokens", OpenApiTypes.INT64),
    OpenApiParameter("user_tokens", OpenApiTypes.INT64, description="Of each turn."),
    OpenApiParameter("answer_tokens", OpenApiTypes.INT64, description="Of each turn."),
    OpenApiParameter(
        "whole_credits",
        OpenApiTypes.BOOL,
        description="Each request is rounded up to whole credits.",
    ),
]


class EstimateQuestionSerializer(serializers.Serializer[Any]):
    """The parameters of GET; those of the filter may stand beside them."""

    credits = amount()
    credit_kind = serializers.CharField(required=False)
    money = amount()
    currency = serializers.CharField(required=False)
    input_tokens = serializers.IntegerField(required=False)
    models = serializers.ListField(child=serializers.CharField(), required=False)
    cached_share = amount()
    written_share = amount()
    output_per_input = amount()
    spread = amount()
    turns = serializers.IntegerField(required=False)
    system_tokens = serializers.IntegerField(required=False)
    user_tokens = serializers.IntegerField(required=False)
    answer_tokens = serializers.IntegerField(required=False)
    whole_credits = serializers.BooleanField(required=False)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Every field may be left out."""
        fields = super().get_fields()
        for field in fields.values():
            field.required = False
        return fields


class PricesSerializer(serializers.Serializer[Any]):
    """Per million tokens."""

    input = amount()
    cached = amount()
    output = amount()
    written = amount()


class OneKindSerializer(serializers.Serializer[Any]):
    """Whole tokens of each kind alone; null where they cost nothing."""

    input_tokens = serializers.IntegerField(allow_null=True)
    output_tokens = serializers.IntegerField(allow_null=True)
    cached_tokens = serializers.IntegerField(allow_null=True)


class MixSerializer(serializers.Serializer[Any]):
    """Shares of input, and output tokens for each input token."""

    cached_share = amount()
    written_share = amount()
    output_per_input = amount()


class BoughtSerializer(serializers.Serializer[Any]):
    """Whole input tokens and the output that comes with them."""

    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    blended_price = amount()


class CasesSerializer(serializers.Serializer[Any]):
    """At the mix, at a dearer and at a cheaper one."""

    low = BoughtSerializer(allow_null=True)
    mid = BoughtSerializer(allow_null=True)
    high = BoughtSerializer(allow_null=True)


class SessionCostSerializer(serializers.Serializer[Any]):
    """One session, and how many whole ones the budget buys."""

    input_tokens = serializers.IntegerField()
    cached_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cost = amount(allow_null=True)
    credits = amount(allow_null=True)
    sessions = serializers.IntegerField(allow_null=True)


class ModelEstimateSerializer(serializers.Serializer[Any]):
    """One model's side."""

    provider = serializers.CharField()
    model = serializers.CharField()
    currency = serializers.CharField(allow_null=True)
    prices = PricesSerializer(allow_null=True)
    blended_price = amount(allow_null=True)
    money = amount(allow_null=True)
    buys = OneKindSerializer(allow_null=True)
    at_mix = CasesSerializer(allow_null=True)
    cost = amount(allow_null=True)
    credits = amount(allow_null=True)
    credit_kind = serializers.CharField()
    session_uncached = SessionCostSerializer(allow_null=True)
    session_cached = SessionCostSerializer(allow_null=True)


class BudgetSerializer(serializers.Serializer[Any]):
    """What is to be spent: of a currency, or of a kind of credit."""

    amount = amount()
    currency = serializers.CharField(allow_null=True)
    credit_kind = serializers.CharField(allow_null=True)


class ObservedMixSerializer(serializers.Serializer[Any]):
    """How the filter's usage mixed its tokens."""

    mix = MixSerializer(allow_null=True)
    requests = serializers.IntegerField()
    days = serializers.IntegerField()


class ExampleSerializer(serializers.Serializer[Any]):
    """The example that explains credits."""

    credits = serializers.IntegerField()
    credit_price = amount()
    currency = serializers.CharField()
    prices = PricesSerializer()
    buys = OneKindSerializer()


class EstimateSerializer(serializers.Serializer[Any]):
    """The worked example, then models side by side."""

    example = ExampleSerializer()
    budget = BudgetSerializer(allow_null=True)
    mix = MixSerializer()
    observed = ObservedMixSerializer()
    price_version = serializers.IntegerField()
    models = ModelEstimateSerializer(many=True)
