"""The shapes of imports, for the OpenAPI schema; accounting.queries.writing fills them."""

from typing import Any

from rest_framework import serializers

from accounting.api.fields import SparseSerializer
from accounting.api.serializers import PagedSerializer, amount, by_currency
from accounting.domain.aggregates import AGGREGATE_COUNTS
from accounting.models.imports import IMPORT_STATES

#: What `ingest --json` says of an import that is over, and the states before.
STATES = (*(s for s in IMPORT_STATES if s != "quarantined"), "unchanged", "refused")


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


class AggregateSerializer(serializers.Serializer[Any]):
    """What an import holds of reports, which are kept for comparison and in no sum."""

    reported_cost = by_currency()
    credits = amount(allow_null=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The counts, each null while no report tells it, and the declared fields."""
        counts = {name: serializers.IntegerField(allow_null=True) for name in AGGREGATE_COUNTS}
        return {**counts, **super().get_fields()}


class ImportFields(serializers.Serializer[Any]):
    """What became of an import, as `ingest --json` prints it."""

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


class ImportSerializer(ImportFields):
    """What became of an import, as `ingest --json` prints it, with its first 20 rejections.

    lines = recorded + updated + duplicates + conflicts + skipped + rejected. Requests, tokens and
    money are what it changed in the books.
    """

    rejections = RejectionSerializer(many=True)
    warnings = WarningSerializer(many=True)
    aggregate = AggregateSerializer(allow_null=True)
    assumed_times = serializers.IntegerField()


class ImportRowSerializer(SparseSerializer, ImportFields):
    """One import of the list."""


class ImportsAnswerSerializer(PagedSerializer):
    """Imports, newest first."""

    rows = ImportRowSerializer(many=True)
