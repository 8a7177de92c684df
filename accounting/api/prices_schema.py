"""The shapes of prices and quotes, for the OpenAPI schema; queries.writing_prices fills them."""

from typing import Any

from rest_framework import serializers

from accounting.api.fields import SparseSerializer
from accounting.api.serializers import PagedSerializer, amount
from accounting.domain.quotes import CONTEXT, REQUESTS
from accounting.domain.tokens import COUNT_NAMES
from accounting.models.ledger import COST_STATES
from accounting.queries.writing_prices import CONDITIONS


class TierSerializer(serializers.Serializer[Any]):
    """The price of a unit's quantity above a bound."""

    above = serializers.IntegerField()
    price = amount()


class _DatedSerializer(SparseSerializer):
    """A price over a span; to is exclusive, null: still in force."""

    rate_id = serializers.IntegerField()
    currency = serializers.CharField()
    price = amount()
    to = serializers.DateTimeField(allow_null=True)
    price_version = serializers.IntegerField(help_text="The version that added it.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared fields and from, which Python does not let us declare."""
        return {**super().get_fields(), "from": serializers.DateTimeField(required=False)}


class RateRowSerializer(_DatedSerializer):
    """One rate: its price for `per` of a unit. A condition that is null asks nothing."""

    book = serializers.CharField()
    provider = serializers.CharField(allow_blank=True)
    model = serializers.CharField(help_text="'*' is every model of the provider.")
    unit = serializers.CharField()
    per = serializers.IntegerField()
    input_gt = serializers.IntegerField(allow_null=True)
    tier_mode = serializers.CharField(allow_null=True)
    tiers = TierSerializer(many=True, allow_null=True)
    window = serializers.CharField(allow_null=True)
    priority = serializers.IntegerField()
    note = serializers.CharField(allow_null=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared fields, the conditions, and source, which the framework keeps for itself."""
        texts = ("source", *CONDITIONS)
        more = {name: serializers.CharField(allow_null=True, required=False) for name in texts}
        return {**super().get_fields(), **more}


class RatesAnswerSerializer(PagedSerializer):
    """The rates that held at a moment, as a price version knew them."""

    at = serializers.DateTimeField()
    price_version = serializers.IntegerField()
    rows = RateRowSerializer(many=True)


class CreditRateSerializer(_DatedSerializer):
    """What one credit of a kind costs."""

    kind = serializers.CharField()


class CreditRatesAnswerSerializer(PagedSerializer):
    """Credit rates by kind, currency and time, past and coming ones too."""

    price_version = serializers.IntegerField()
    rows = CreditRateSerializer(many=True)


class QuoteUsageSerializer(serializers.Serializer[Any]):
    """Counts by name; what is left out was not used. Any other unit that has a price may stand here."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Every kind of count."""
        names = (*COUNT_NAMES, REQUESTS)
        return {name: serializers.IntegerField(required=False, allow_null=True) for name in names}


class QuoteContextSerializer(serializers.Serializer[Any]):
    """Under which conditions."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Every condition that prices know."""
        return {name: serializers.CharField(required=False, allow_null=True) for name in CONTEXT}


class QuoteQuestionSerializer(serializers.Serializer[Any]):
    """One request that somebody would make, as `manage.py quote` takes it."""

    provider = serializers.CharField(required=False, allow_null=True)
    model = serializers.CharField()
    at = serializers.DateTimeField(help_text="ISO 8601 with an offset.")
    usage = QuoteUsageSerializer()
    book = serializers.CharField(
        required=False, allow_null=True, help_text="Instead of the organization's chain."
    )

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared fields and context, which the framework keeps for itself."""
        context = QuoteContextSerializer(required=False, allow_null=True)
        return {**super().get_fields(), "context": context}


class QuoteLineSerializer(serializers.Serializer[Any]):
    """One unit of the bill; price and amount are null where no rate covers it."""

    unit = serializers.CharField()
    quantity = serializers.IntegerField()
    unit_price = amount(allow_null=True)
    per = serializers.IntegerField(allow_null=True)
    amount = amount(allow_null=True)
    rate_id = serializers.IntegerField(allow_null=True)
    multiplier = serializers.DecimalField(
        max_digits=None, decimal_places=None, required=False, help_text="Where it is not 1."
    )


class QuoteSerializer(serializers.Serializer[Any]):
    """The price of one request; null is unknown."""

    cost = amount(allow_null=True)
    currency = serializers.CharField(allow_null=True)
    credits = amount(allow_null=True)
    state = serializers.ChoiceField(choices=COST_STATES)
    price_version = serializers.IntegerField()
    lines = QuoteLineSerializer(many=True)
