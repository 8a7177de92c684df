"""A worker that adds what it was told to the rollups, not what was new: a control that must break them."""

from celery.__main__ import main

import accounting.config.celery  # noqa: F401  sets Django's settings up
from accounting.services import ledger

ledger.INSERT_NEW = f"""
    WITH came AS (
        INSERT INTO accounting_usageevent ({ledger._NAMES})
        SELECT {ledger._VALUES}
        FROM posting_stage AS s
        ORDER BY s.dedupe_key
        ON CONFLICT (organization_id, dedupe_key, month) DO NOTHING
        RETURNING dedupe_key
    ), told AS (
        INSERT INTO posting_change (sign, {ledger._NAMES}, received_at)
        SELECT 1, {ledger._VALUES}, now()
        FROM posting_stage AS s
    )
    SELECT dedupe_key FROM came
"""

if __name__ == "__main__":
    main()
