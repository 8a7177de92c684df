"""Whether an answer was cut for its length, in SQL: said once for an index, a rollup and questions."""

from typing import Any

from django.db.models import BooleanField, Func

from accounting.domain.finishes import CUT_BY_LENGTH

_WORDS = ", ".join(f"'{word}'" for word in CUT_BY_LENGTH)
_TEMPLATE = f"(string_to_array(lower(%(expressions)s), ',') && ARRAY[{_WORDS}])"
#: As SQL over the columns of UsageEvent.
IS_CUT = _TEMPLATE % {"expressions": "finish_reason"}


class CutByLength(Func):
    """Whether a finish reason says so, as accounting.domain.finishes does."""

    template = _TEMPLATE
    output_field: "BooleanField[Any, Any]" = BooleanField()
