"""docs/rest.md: how programs push and ask, and every code they can be refused with."""

from pathlib import Path

from accounting.api.codes import CODES

PAGE = Path(__file__).parents[2] / "docs" / "rest.md"
TOP = """\
# REST

Everything under `/api/v1/`; the schema is at `/api/schema/` (OpenAPI). A program presents its key as
`Authorization: Bearer …` or `X-Api-Key: …`, never in the address. A key with the scope `read` asks; one
with `ingest` pushes, and may ask `/api/v1/imports/{import_id}` for what it pushed itself. Addresses know
their parameters: an unknown one is refused by its name.

This page is written by `make docs` from `accounting/api/`.

## Pushing

`POST /api/v1/events` takes JSON or JSON lines, packed with gzip or zstd if you like, up to
`TALLYBOOK_MAX_PUSH_MB`. Parameters: `wait` (true or false), `project`, `format`, `name`, and where the
records are silent `provider`, `model`, `run`, `user_id`, `started_at`, `input_tokens`, `counts_as_usage`.

A record that started more than 10 minutes from now is rejected as `in_future`: a program's clock is wrong, or
its unit of time. (A file is read whatever its times; those more than a day ahead are pointed out.)

202 means that the body is in the books' inbox and will be read, whatever breaks; 200 with `wait=true`
that it was read, with its counts. Anything else means that nothing was kept. Send it again after a
timeout, a broken connection, 408, 429 or 503; with an `Idempotency-Key` a body that had arrived after
all is told by its first answer, and without one its records are counted once all the same.

## Bodies that stall or break off

The server waits for bodies, not the threads that answer: a client that sends half a body and pauses
holds up nobody else. A body must not pause for 10 seconds, and each 256 KiB of it must come within 30;
else the answer is 408 `body_late` and the connection is closed. So is one whose headers do not come
within 10 seconds. A body that breaks off, chunked or with a length, is refused with `body_incomplete`
and leaves nothing, not even an import.

A body of more than 256 KiB is read while it comes, eight of them at once; the next one waits for up to
30 seconds and is then told `busy`.

## Refusals

Every refusal is a problem (RFC 9457, `application/problem+json`): `type`, `title`, `status`, `detail`
for people, `code` for programs, and `parameter` where one is wrong. 401 has `WWW-Authenticate`, 405
`Allow`, 415 `Accept`, and 429 and 503 have `Retry-After` in seconds.

A body that is a log may also be refused with a code of [formats.md](formats.md#why-a-file-is-refused);
one that is not in this table is a 400.

| Code | Status | Meaning |
|---|---|---|
"""


def page() -> str:
    """The whole page."""
    rows = (f"| `{name}` | {code.status} | {code.meaning} |\n" for name, code in CODES.items())
    return TOP + "".join(rows)
