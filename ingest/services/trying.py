"""An event that counts nothing, sent the way programs send: to see that what is sent is read."""

import json
from datetime import datetime
from io import BytesIO
from secrets import token_hex

from ingest.services.looking import AnyFormat
from ingest.services.receive import Receipt, Sender, receive_push

NAME = "test-event.json"
_LIMIT = 1_000


def send_test_event(*, organization_id: int, user_id: int | None, now: datetime) -> Receipt:
    """Keep one event without data, as a push; the caller rings for it.

    It is read like any other and then skipped, so that the books stay as they are.
    """
    body = {
        "specversion": "1.0",
        "id": token_hex(8),
        "source": "/sources/test",
        "type": "test",
        "time": now.isoformat(),
    }
    written = json.dumps(body).encode()
    sender = Sender(organization_id=organization_id, created_by_id=user_id, name=NAME)
    return receive_push(
        sender=sender,
        look=AnyFormat(sender),
        stream=BytesIO(written),
        encoding="",
        limit=_LIMIT,
        expected=len(written),
    )
