"""What the OpenAPI schema says about parameters, errors, keys, and the push endpoint."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from accounting.api.pagination import CURSOR, DEFAULT_LIMIT, LIMIT, MOST_ROWS
from accounting.api.problems import PROBLEM
from accounting.api.serializers import ProblemSerializer
from accounting.domain.ranges import BUCKETS, RANGES
from accounting.domain.usage import PURPOSES
from accounting.queries.grammar import COMPARISONS, DIMENSIONS, FIELDS, METRICS, TAG, ZONE

_RELATIONS = {"": "is", "!": "is not", "~": "contains"}
ZONE_PARAMETER = OpenApiParameter(
    ZONE,
    description="Days of another time zone; 400 where its hours are not whole hours of the books.",
)
#: For answers that have moments, but no days.
SHOWN_ZONE_PARAMETER = OpenApiParameter(ZONE, description="The time zone of moments.")
_RANGE = [
    OpenApiParameter(
        "range",
        enum=RANGES,
        default="mtd",
        description="Instead of from and to; the organization's local days.",
    ),
    OpenApiParameter("from", OpenApiTypes.DATE, description="First day."),
    OpenApiParameter("to", OpenApiTypes.DATE, description="Day after the last; default tomorrow."),
    ZONE_PARAMETER,
]
#: A dimension, or any tag's key.
_DIMENSION: dict[str, Any] = {
    "anyOf": [{"type": "string", "enum": DIMENSIONS}, {"type": "string", "pattern": f"^{TAG}.+"}]
}
_CONDITIONS = [
    OpenApiParameter(
        f"{name}{mark}",
        many=True,
        description=f"{name} {relation} any of these"
        + (" (slugs)" if name == "project" and mark != "~" else ""),
    )
    for name in (*DIMENSIONS, *FIELDS, f"{TAG}<key>")
    for mark, relation in _RELATIONS.items()
]
_PURPOSE = OpenApiParameter("purpose", enum=PURPOSES, default="usage")
FILTER_PARAMETERS = [
    *_RANGE,
    OpenApiParameter("group", _DIMENSION),
    OpenApiParameter("sub", _DIMENSION, description="A second dimension; needs group."),
    OpenApiParameter("bucket", enum=BUCKETS, description="Without it, one row for the range."),
    OpenApiParameter("metric", enum=METRICS, description="What a page draws; changes no row."),
    OpenApiParameter("compare", enum=COMPARISONS, description="As metric."),
    OpenApiParameter("weekday", enum=["1"], description="As metric: days of the same weekdays."),
    _PURPOSE,
    *_CONDITIONS,
]
LATENCY_PARAMETERS = [
    *_RANGE,
    OpenApiParameter("group", _DIMENSION),
    OpenApiParameter("sub", _DIMENSION, description="A second dimension; needs group."),
    OpenApiParameter("bucket", enum=BUCKETS, description="Without it, one row for the range."),
    _PURPOSE,
    *_CONDITIONS,
]
#: The filter without a cut: which usage, whatever its groups and buckets.
SESSION_FILTER_PARAMETERS = [*_RANGE, _PURPOSE, *_CONDITIONS]
CHANGE_PARAMETERS = [
    *_RANGE,
    OpenApiParameter("compare", enum=COMPARISONS[:-1], default=COMPARISONS[0]),
    OpenApiParameter("weekday", enum=["1"], description="Days of the same weekdays."),
    _PURPOSE,
    *_CONDITIONS,
]
CACHE_PARAMETERS = [
    *_RANGE,
    OpenApiParameter("group", {**_DIMENSION, "default": "model"}),
    OpenApiParameter(
        "compare",
        enum=COMPARISONS,
        default=COMPARISONS[-1],
        description="With which range: then moves say what moved the hit rate.",
    ),
    OpenApiParameter("weekday", enum=["1"], description="Days of the same weekdays."),
    _PURPOSE,
    *_CONDITIONS,
]
#: Conditions without a range.
PROJECTION_PARAMETERS = [ZONE_PARAMETER, _PURPOSE, *_CONDITIONS]
PAGE_PARAMETERS = [
    OpenApiParameter(CURSOR, description="`next` of the page before, of the same question."),
    OpenApiParameter(
        LIMIT,
        {"type": "integer", "minimum": 1, "maximum": MOST_ROWS, "default": DEFAULT_LIMIT},
        description="Rows of a page.",
    ),
]
ERRORS: dict[Any, Any] = {
    (status, PROBLEM): ProblemSerializer for status in (400, 401, 403, 429, 503)
}
BODY_ERRORS: dict[Any, Any] = {(status, PROBLEM): ProblemSerializer for status in (408, 413)}
NOT_FOUND: dict[Any, Any] = {(404, PROBLEM): ProblemSerializer}


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How a key is presented."""

    target_class = "accounting.api.auth.ApiKeyAuthentication"
    name = ["bearerKey", "headerKey"]

    def get_security_definition(self, _schema: object) -> list[dict[str, str]]:
        """Either header will do."""
        return [
            {"type": "http", "scheme": "bearer"},
            {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
        ]
