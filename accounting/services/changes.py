"""What a batch changed in the books, added up from its signed rows."""

from typing import Any

from django.db import connection

from accounting.domain.changes import REPORTED_KINDS, Change

SUM_CHANGES = f"""
    SELECT
        currency,
        reported_currency,
        coalesce(sum(sign) FILTER (WHERE part = 0 AND status IN ('ok', 'cancelled')), 0),
        coalesce(sum(sign) FILTER (WHERE part = 0 AND status = 'error'), 0),
        coalesce(sum(sign) FILTER (WHERE part = 0 AND cost_state IN ('unpriced', 'partial')), 0),
        coalesce(sum(sign * cost), 0),
        coalesce(sum(sign * reported_cost), 0),
        {", ".join(f"coalesce(sum(sign * {name}), 0)" for name in REPORTED_KINDS)}
    FROM posting_change
    GROUP BY currency, reported_currency
"""


def posted_change(reported: set[str]) -> Change:
    """The sum of posting_change. reported: the token kinds that some record of the input reported."""
    zeros: dict[str, Any] = dict.fromkeys(reported & set(REPORTED_KINDS), 0)
    total = Change(**zeros)
    with connection.cursor() as cursor:
        cursor.execute(SUM_CHANGES)
        for (
            currency,
            reported_currency,
            requests,
            errors,
            unpriced,
            cost,
            said,
            *kinds,
        ) in cursor.fetchall():
            total += Change(
                requests=int(requests),
                errors=int(errors),
                unpriced_requests=int(unpriced),
                cost={currency: cost} if currency else {},
                reported_cost={reported_currency: said} if reported_currency else {},
                **{
                    name: int(value)
                    for name, value in zip(REPORTED_KINDS, kinds, strict=True)
                    if name in reported
                },
            )
    return total
