"""The shape of explanations, for the OpenAPI schema; accounting.queries.writing_explained fills them."""

from typing import Any

from rest_framework import serializers

from accounting.api.serializers import CostPartsSerializer, amount
from accounting.domain.tokens import COUNT_NAMES
from accounting.models.ledger import COST_STATES
from accounting.models.repricing import CAUSES


class PartsOfCostSerializer(CostPartsSerializer):
    """What a cost is made of; null is unpriced."""

    input = amount(allow_null=True)
    cache_read = amount(allow_null=True)
    cache_write = amount(allow_null=True)
    output = amount(allow_null=True)
    other = amount(allow_null=True)


class AppliedRateSerializer(serializers.Serializer[Any]):
    """A row of a price table, and why it was taken, in the order in which rows are compared."""

    book = serializers.CharField()
    book_kind = serializers.CharField()
    currency = serializers.CharField()
    provider = serializers.CharField(allow_blank=True)
    model = serializers.CharField(allow_null=True)
    unit = serializers.CharField()
    price = amount()
    per = serializers.IntegerField()
    to = serializers.DateTimeField(allow_null=True)
    note = serializers.CharField(allow_null=True)
    price_version = serializers.IntegerField()
    why = serializers.ListField(child=serializers.CharField())

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared fields, and those that Python or the framework keep for themselves."""
        return {
            **super().get_fields(),
            "from": serializers.DateTimeField(),
            "source": serializers.CharField(allow_null=True),
        }


class BillLineSerializer(serializers.Serializer[Any]):
    """One unit of a bill; price and amount are null where no rate covers it."""

    unit = serializers.CharField()
    quantity = serializers.IntegerField()
    unit_price = amount(allow_null=True)
    per = serializers.IntegerField(allow_null=True)
    multiplier = amount()
    amount = amount(allow_null=True)
    rate_id = serializers.IntegerField(allow_null=True)
    rate = AppliedRateSerializer(allow_null=True)


class AppliedConversionSerializer(serializers.Serializer[Any]):
    """A dated rate: base and credits are exchange rates, credit is what one credit costs."""

    purpose = serializers.ChoiceField(choices=("base", "credits", "credit"))
    what = serializers.CharField()
    currency = serializers.CharField()
    rate = amount()
    rate_id = serializers.IntegerField()
    price_version = serializers.IntegerField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared fields, and those that Python or the framework keep for themselves."""
        return {
            **super().get_fields(),
            "from": serializers.DateTimeField(),
            "source": serializers.CharField(allow_null=True),
        }


class RevisionSerializer(serializers.Serializer[Any]):
    """What a repricing changed; booked_at: where it was booked because the month is closed."""

    run = serializers.IntegerField()
    cause = serializers.ChoiceField(choices=CAUSES)
    old_cost = amount(allow_null=True)
    old_currency = serializers.CharField(allow_null=True)
    new_cost = amount(allow_null=True)
    new_currency = serializers.CharField(allow_null=True)
    booked_at = serializers.DateTimeField(allow_null=True)


class ExplanationSerializer(serializers.Serializer[Any]):
    """One event with its bill, computed again by the price version it was priced with."""

    event = serializers.CharField(help_text="Its key, 32 hexadecimal digits.")
    occurred_at = serializers.DateTimeField()
    part = serializers.IntegerField()
    operation = serializers.CharField(help_text="'correction' for what a closed month lacked.")
    status = serializers.CharField()
    provider = serializers.CharField(allow_blank=True)
    model = serializers.CharField(allow_blank=True)
    written_model = serializers.CharField(allow_blank=True, help_text="As the log wrote it.")
    response_id = serializers.CharField(allow_null=True)
    session_id = serializers.CharField(allow_null=True)
    cost_state = serializers.ChoiceField(choices=COST_STATES)
    currency = serializers.CharField(allow_null=True)
    cost = amount(allow_null=True)
    cost_parts = PartsOfCostSerializer()
    cost_base = amount(allow_null=True)
    credits = amount(allow_null=True)
    price_version = serializers.IntegerField()
    is_exact = serializers.BooleanField(help_text="The lines come to the cost, to the last digit.")
    lines = BillLineSerializer(many=True)
    conversions = AppliedConversionSerializer(many=True)
    import_id = serializers.IntegerField(allow_null=True)
    import_name = serializers.CharField(allow_null=True)
    import_format = serializers.CharField(allow_null=True)
    path = serializers.CharField(allow_null=True, help_text="Inside an import of many files.")
    line = serializers.IntegerField(allow_null=True)
    byte_offset = serializers.IntegerField(allow_null=True)
    corrects = serializers.CharField(allow_null=True, help_text="The key of the event corrected.")
    revisions = RevisionSerializer(many=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared fields and every kind of count."""
        counts = {name: serializers.IntegerField(allow_null=True) for name in COUNT_NAMES}
        return {**super().get_fields(), **counts}


class ExplainAnswerSerializer(serializers.Serializer[Any]):
    """The event that was named, or a fair sample of a filter."""

    rows = ExplanationSerializer(many=True)
