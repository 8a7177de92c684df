"""Every code that a program is refused with, its HTTP status and its meaning: for answers and docs.

A body that is a log can also be refused with a code of docs/formats.md, "Why a file is refused"; with
one that is not here it is a 400.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """What a code stands for."""

    status: int
    meaning: str


CODES: Mapping[str, Code] = {
    # who asks
    "unauthenticated": Code(401, "no key came, and nobody is signed in"),
    "bad_key": Code(401, "the API key is unknown, expired or revoked"),
    "missing_scope": Code(403, "the key lacks the scope that this takes"),
    "other_project": Code(403, "the key is limited to one project, and this names another"),
    "no_organization": Code(403, "the person belongs to no organization"),
    "not_allowed": Code(403, "the person's role may not do this, or the page sent no valid token"),
    # what is asked
    "not_found": Code(404, "nothing is there, or nothing that the caller may see"),
    "method_not_allowed": Code(405, "the address is not asked this way; `Allow` says how"),
    "bad_request": Code(400, "the request as such is not understood"),
    "unknown_parameter": Code(400, "a parameter that this address does not have"),
    "repeated_parameter": Code(400, "a parameter of one value that came twice"),
    "bad_body": Code(
        400, "the body is no JSON object, or a text in it holds NUL or half a character"
    ),
    "bad_value": Code(400, "a value that cannot be right for its parameter"),
    "bad_option": Code(400, "an option of a push or upload that cannot be right"),
    "unknown_project": Code(400, "no project has this name"),
    "unknown_mapping": Code(400, "no mapping is saved under this name"),
    "unknown_encoding": Code(400, "files are read in utf-8 and gb18030"),
    "bad_idempotency_key": Code(400, "the idempotency key is longer than 200 characters"),
    "bad_date": Code(400, "no day as 2026-10-01 from 2020 on"),
    "missing_from": Code(400, "`to` without `from`"),
    "range_and_days": Code(400, "both a range and its days"),
    "range_reversed": Code(400, "the range ends before it begins"),
    "unknown_range": Code(400, "no range has this name"),
    "unknown_group": Code(400, "nothing can be grouped so"),
    "unknown_sub": Code(400, "nothing can be grouped so"),
    "unknown_bucket": Code(400, "hour, day, week or month"),
    "unknown_metric": Code(400, "no figure has this name"),
    "unknown_compare": Code(400, "prev, yoy or none"),
    "unknown_purpose": Code(400, "usage or benchmark"),
    "sub_without_group": Code(400, "a second dimension without a first"),
    "sub_is_group": Code(400, "one dimension twice"),
    "too_many_points": Code(400, "more buckets than are answered at once"),
    "unknown_currency": Code(400, "no currency of ISO 4217"),
    "unknown_zone": Code(400, "no time zone has this name"),
    "zone_not_hour_aligned": Code(400, "a zone whose hours are not those of the organization's"),
    "unknown_weekday": Code(400, "mon to sun"),
    "not_reported": Code(400, "a condition that the reports of providers do not know"),
    "unknown_order": Code(400, "rows cannot be ordered so"),
    "too_many_requests_read": Code(
        400, "more requests would be read one by one than `TALLYBOOK_MOST_REQUESTS_READ`"
    ),
    "too_many_rows": Code(400, "more rows than a workbook holds"),
    "unknown_language": Code(400, "en or zh-hans"),
    "no_parquet": Code(501, "Parquet is not written here; the extra `parquet` would do it"),
    "bad_cursor": Code(400, "the cursor was not given out for this question"),
    "bad_limit": Code(400, "1 to 1,000 rows"),
    "bad_sample": Code(400, "more events than are explained at once"),
    "bad_count": Code(400, "no whole number in the range that is told"),
    "bad_amount": Code(400, "no plain decimal number"),
    "amount_out_of_range": Code(
        400, "an amount that is no plain decimal number the books can hold"
    ),
    "bad_time": Code(400, "no moment as 2026-10-01T12:00:00Z from 2020 on"),
    "bad_as_of": Code(400, "no day as 2026-10-01 from 2020 on, and no price version"),
    "as_of_not_kept": Code(400, "the books keep no former sums: usage is told as it stands now"),
    "unknown_field": Code(400, "a field that the rows have not"),
    "unknown_unit": Code(400, "credits, or no unit at all"),
    "currency_and_unit": Code(400, "both a currency and credits to tell the cost in"),
    "nothing_compared": Code(400, "a change without a range to compare with"),
    "unknown_period": Code(400, "month, quarter or year"),
    "bad_question": Code(
        400, "a quote's question that lacks something, or holds what nobody knows"
    ),
    "unknown_book": Code(400, "the organization has no price book of that code"),
    "bad_flag": Code(400, "neither true nor false"),
    "bad_share": Code(400, "no share from 0 to 1"),
    "bad_spread": Code(400, "no spread from 0 to 1"),
    "bad_model": Code(400, "no provider/model"),
    "bad_estimate": Code(400, "an estimate that cannot be made of what was given"),
    "too_many_models": Code(400, "more models than are compared at once"),
    "credits_and_money": Code(400, "both credits and money to spend"),
    "session_without_turns": Code(400, "sizes of a session without its turns"),
    # what is sent
    "body_late": Code(408, "the body paused or came too slowly; nothing was kept"),
    "body_incomplete": Code(400, "the connection ended before the body; nothing was kept"),
    "headers_too_large": Code(431, "the headers are longer than is taken"),
    "too_large": Code(413, "the body is longer than is taken"),
    "decompressed_too_large": Code(413, "the body unpacks to more than is taken"),
    "document_too_large": Code(413, "one document of more than 256 MiB"),
    "unsupported_media_type": Code(415, "a content type that is not read here"),
    "unsupported_encoding": Code(415, "a content encoding other than gzip and zstd"),
    "not_gzip": Code(400, "the body is not packed as its header says"),
    "not_zstd": Code(400, "the body is not packed as its header says"),
    "unknown_format": Code(422, "no known log format, or no format of the name that was asked for"),
    "ambiguous_format": Code(422, "more than one log format fits"),
    "not_this_format": Code(422, "a log, but none of the format that was asked for"),
    "wrong_layout": Code(422, "never a file of the format that was asked for"),
    "empty_file": Code(422, "nothing in it"),
    "binary_file": Code(422, "no text"),
    "bad_xlsx": Code(400, "no workbook that can be read"),
    "unknown_sheet": Code(400, "a workbook of several sheets, or without the one that was named"),
    "idempotency_key_reused": Code(409, "the idempotency key came before with another body"),
    # what is wrong here
    "too_many_requests": Code(429, "more requests than are answered; `Retry-After` says when"),
    "internal_error": Code(500, "an error of Tallybook; it was written to the log"),
    "inbox_full": Code(429, "too much of this sender waits to be read; `Retry-After` says when"),
    "disk_full": Code(503, "the disk of the books is nearly full; nothing was kept"),
    "no_space": Code(507, "the disk of the books is nearly full; the file was not kept"),
    "busy": Code(503, "too many long bodies, long answers or files at once; nothing was kept"),
    "not_kept": Code(503, "an error of Tallybook; it was written to the log, and nothing was kept"),
    "unavailable": Code(
        503, "the database cannot be reached; `Retry-After` says when to come again"
    ),
}
_OTHERS = Code(400, "")


def status_of(code: str) -> int:
    """The HTTP status of a refusal."""
    return CODES.get(code, _OTHERS).status
