"""A row of one-api's or new-api's logs, and what makes it the same row again."""

import msgspec

from accounting.domain.usage import Identity
from ingest.formats.cells import Flag
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, count, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import Moment
from ingest.formats.newapi_usage import Other

#: Users see their rows under an id modulo this, administrators under the id itself.
_SHOWN_IDS = 1024


class Row(msgspec.Struct):
    """One row of the table. Other types than consumption, errors and refunds are no requests."""

    created_at: Moment
    type: Count
    quota: Count = None
    id: Count = None
    request_id: str | None = None
    username: str | None = None
    token_name: str | None = None
    model_name: str | None = None
    group: str | None = None
    prompt_tokens: Count = None
    completion_tokens: Count = None
    use_time: Count = None
    elapsed_time: Count = None
    is_stream: Flag = None
    channel_name: str | None = None
    other: Exact = NOTHING


ROWS = Decoder(Row, {"prompt_tokens": 1, "completion_tokens": 1, "quota": 1})
OTHERS = Decoder(Other)


def identity_of(row: Row, *, is_correction: bool) -> Identity:
    """The request's id; without it, and for corrections, what the row says."""
    request_id = text(row.request_id, "request_id")
    if request_id and not is_correction:
        return Identity(gateway_request_id=request_id)
    row_id = count(row.id, "id")
    said = (
        None if row_id is None else row_id % _SHOWN_IDS,
        str(row.created_at),
        *(str(n) for n in (row.type, row.quota, row.prompt_tokens, row.completion_tokens)),
        *(name or "" for name in (row.username, row.token_name, row.model_name)),
    )
    return Identity(fingerprint=fingerprint(said), part=int(is_correction))
