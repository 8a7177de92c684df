"""The shapes of usage and sessions, for the OpenAPI schema; accounting.queries.writing fills them."""

from typing import Any

from rest_framework import serializers

from accounting.api.fields import SparseSerializer
from accounting.api.serializers import (
    PagedSerializer,
    RangeSerializer,
    TotalsSerializer,
    amount,
)
from accounting.queries.grammar import RELATIONS

KINDS = ("rollup", "attribute", "tag", "field")


class AmountSerializer(TotalsSerializer):
    """Sums with the cost as one figure."""

    amount = amount(allow_null=True)
    amount_is_whole = serializers.BooleanField(
        help_text="Whether everything that has a price is in amount."
    )


class WholeSerializer(AmountSerializer):
    """Totals over the whole filter, with the sessions that started in its range."""

    sessions = serializers.IntegerField()
    session_ratio_median = amount(allow_null=True)


class UsageRowSerializer(SparseSerializer, AmountSerializer):
    """One bucket of one group."""

    bucket = serializers.CharField(allow_null=True, help_text="A day, or an hour with its offset.")
    group = serializers.CharField(allow_null=True)
    group_label = serializers.CharField(allow_null=True)
    sub = serializers.CharField(allow_null=True)
    sub_label = serializers.CharField(allow_null=True)


class SessionSerializer(SparseSerializer, AmountSerializer):
    """One session."""

    session_id = serializers.CharField()
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField()


class WholeAnswerSerializer(PagedSerializer, RangeSerializer):
    """A page of an answer with the totals of all pages."""

    unit = serializers.CharField(help_text="Of amount: a currency, or credits.")
    totals = WholeSerializer()


class UsageAnswerSerializer(WholeAnswerSerializer):
    """Usage by bucket, group and sub."""

    rows = UsageRowSerializer(many=True)


class SessionAnswerSerializer(WholeAnswerSerializer):
    """Sessions that started in the range."""

    rows = SessionSerializer(many=True)


class DimensionSerializer(serializers.Serializer[Any]):
    """A name that usage is grouped or filtered by."""

    name = serializers.CharField()
    kind = serializers.ChoiceField(
        choices=KINDS, help_text="field: usage is filtered by it, not grouped."
    )
    relations = serializers.ListField(
        child=serializers.ChoiceField(choices=list(RELATIONS.values())),
        help_text="What may stand behind the name of a condition: is, is not, contains.",
    )


class DimensionsAnswerSerializer(RangeSerializer):
    """Every dimension, the tags of the range among them."""

    rows = DimensionSerializer(many=True)


class ValueSerializer(SparseSerializer):
    """One value of a dimension; '' is that of usage that has none."""

    value = serializers.CharField(allow_blank=True)
    requests = serializers.IntegerField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared fields and label, which the framework keeps for itself."""
        fields = super().get_fields()
        return {**fields, "label": serializers.CharField(allow_blank=True, required=False)}


class ValuesAnswerSerializer(PagedSerializer, RangeSerializer):
    """The values of one dimension in the range, in order."""

    rows = ValueSerializer(many=True)
