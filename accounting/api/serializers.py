"""The shapes of answers, for the OpenAPI schema; accounting.queries.writing fills them."""

from typing import Any

from rest_framework import serializers

from accounting.models.imports import IMPORT_STATES

#: What `ingest --json` says of an import that is over, and the states before.
STATES = (*(s for s in IMPORT_STATES if s != "quarantined"), "unchanged", "refused")


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


class WholeSerializer(TotalsSerializer):
    """Totals over the whole filter, with the sessions that started in its range."""

    sessions = serializers.IntegerField()
    session_ratio_median = amount(allow_null=True)


class UsageRowSerializer(TotalsSerializer):
    """One bucket of one group."""

    bucket = serializers.CharField(allow_null=True, help_text="A day, or an hour with its offset.")
    group = serializers.CharField(allow_null=True)
    group_label = serializers.CharField(allow_null=True)
    sub = serializers.CharField(allow_null=True)
    sub_label = serializers.CharField(allow_null=True)


class SessionSerializer(TotalsSerializer):
    """One session."""

    session_id = serializers.CharField()
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField()


class RangeSerializer(serializers.Serializer[Any]):
    """The range that was answered: local days of the organization, half-open."""

    to = serializers.DateField()
    time_zone = serializers.CharField()
    currency = serializers.CharField(help_text="The organization's own, of cost_base.")
    next = serializers.CharField(allow_null=True, help_text="Cursor of the next page.")
    totals = WholeSerializer()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared fields and from, which Python does not let us declare."""
        return {"from": serializers.DateField(), **super().get_fields()}


class UsageAnswerSerializer(RangeSerializer):
    """Usage by bucket, group and sub."""

    rows = UsageRowSerializer(many=True)


class SessionAnswerSerializer(RangeSerializer):
    """Sessions that started in the range."""

    rows = SessionSerializer(many=True)


class RejectionSerializer(serializers.Serializer[Any]):
    """A record that could not be read; line is null where the whole file was refused."""

    path = serializers.CharField(allow_blank=True)
    line = serializers.IntegerField(allow_null=True)
    code = serializers.CharField()
    reason = serializers.CharField()


class PlaceSerializer(serializers.Serializer[Any]):
    """A line of a file."""

    path = serializers.CharField(allow_blank=True)
    line = serializers.IntegerField()


class WarningSerializer(serializers.Serializer[Any]):
    """A doubt about records that were counted: how many, and where the first of them stand."""

    code = serializers.CharField()
    lines = serializers.IntegerField()
    places = PlaceSerializer(many=True)


class ImportSerializer(serializers.Serializer[Any]):
    """What became of an import, as `ingest --json` prints it, with its first 20 rejections.

    lines = recorded + updated + duplicates + conflicts + skipped + rejected. Requests, tokens and
    money are what it changed in the books.
    """

    import_id = serializers.IntegerField()
    path = serializers.CharField(allow_blank=True)
    format = serializers.CharField(allow_null=True)
    state = serializers.ChoiceField(choices=STATES)
    error_code = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_null=True)
    received_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    lines = serializers.IntegerField()
    recorded = serializers.IntegerField()
    updated = serializers.IntegerField()
    duplicates = serializers.IntegerField()
    conflicts = serializers.IntegerField()
    skipped = serializers.IntegerField()
    rejected = serializers.IntegerField()
    requests = serializers.IntegerField()
    errors = serializers.IntegerField()  # type: ignore[assignment]  # a field, not the property
    input_tokens = serializers.IntegerField(allow_null=True)
    cache_read_input_tokens = serializers.IntegerField(allow_null=True)
    cache_write_input_tokens = serializers.IntegerField(allow_null=True)
    output_tokens = serializers.IntegerField(allow_null=True)
    reasoning_output_tokens = serializers.IntegerField(allow_null=True)
    cost = by_currency()
    reported_cost = by_currency()
    unpriced_requests = serializers.IntegerField()
    rejections = RejectionSerializer(many=True)
    warnings = WarningSerializer(many=True)


class ProblemSerializer(serializers.Serializer[Any]):
    """An error (RFC 9457). code is stable; parameter names the wrong one, where there is one."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()
    parameter = serializers.CharField(required=False)
