"""docs/rest.md: how programs push and ask, and every code they can be refused with."""

from pathlib import Path

from accounting.api.codes import CODES

PAGE = Path(__file__).parents[2] / "docs" / "rest.md"
TOP = """\
# REST

Everything under `/api/v1/`; the schema is at `/api/schema/` (OpenAPI). A program presents its key as
`Authorization: Bearer …` or `X-Api-Key: …`, never in the address. A key with the scope `read` asks; one
with `ingest` pushes, and may ask `/api/v1/imports` for what it pushed itself. A key that is limited to its
project reads that project's usage alone, and whatever it pushes is charged there. Addresses know their
parameters: an unknown one is refused by its name, and so is one of one value that comes twice.

This page is written by `make docs` from `accounting/api/`.

## Asking

| Address | What it tells |
|---|---|
| `dimensions`, `dimensions/{name}` | what usage is grouped and filtered by; the values of one |
| `usage` | sums by time and one or two dimensions |
| `sessions`, `sessions/{session_id}` | conversations; one of them turn by turn |
| `requests`, `explain` | the rows of the ledger; why one of them costs what it costs |
| `cache`, `change`, `projection` | what caches saved, with `compare=` what moved the hit rate; why a cost changed; where a period will end |
| `latency` | time to the first token, for each token after it, and of the whole: p50, p95 and p99 by time and dimensions |
| `prices`, `credit-rates` | which prices hold, or held |
| `quote`, `estimate` | what one request, or a plan, would cost |
| `runs`, `imports`, `imports/{import_id}` | benchmark runs; what came in and what became of it |

Amounts, credits and ratios are decimal texts, to the last digit; `null` is unknown, which is not 0. Filters
have the grammar of the pages: `range=` or `from=&to=` (half-open days), `model=a&model=b`, `model!=c`,
`model~=part`.

- **Pages.** `limit` (1 to 1,000) and `cursor`, which is the `next` of the page before and good for the same
  question only. Rows have one order, whatever arrives meanwhile: none comes twice, and none that was there
  is left out, unless what it is ordered by changes (a session's cost). Pages of `range=7d` stay those of
  the first page's days. Totals are of the whole filter on every page, never of a page.
- **`fields=a,b`** leaves only these in each row; totals stay whole.
- **`currency=`, `unit=credits`**: in what `amount` tells the cost as one figure. In the organization's own
  currency every charge is converted at the rate of its day; in another one only what was charged in it
  counts. `amount_is_whole` says whether everything that has a price is in it; `cost` always has each
  currency by itself.
- **`tz=`**: days and moments of another zone, where its hours are whole hours of the books.
- **`as_of=`**: `prices`, `credit-rates` and `quote` as a price version knew them, or as the last one of a day
  did; `projection` as it stood when a day began. Sums of usage are told as they stand now, late records and
  repricing included, and refuse it (`as_of_not_kept`): the books keep no former sums. What a repricing
  changed, `explain` tells.
- **ETag**: an answer that you have already (`If-None-Match`) is 304 without a body.
- **429**: a key, or a person, may ask each web process `TALLYBOOK_QUESTIONS_PER_MINUTE` questions, at once
  or one by one; `Retry-After` says when there is one again. Pushes have limits of their own. Of wrong keys
  each web process takes `TALLYBOOK_WRONG_KEYS_PER_MINUTE` from one address; later ones are answered 429
  instead of 401, right ones as ever.
- **Names that nothing has.** A filter finds what has the value: for a model, a project or `prices?book=` that
  nothing has, that is 200 without rows. What a question is asked of, or a push is charged to, must be there:
  `quote` by a book that is not is `unknown_book`, a push for a project that is not `unknown_project`.
- **A key limited to its project** is quoted the prices that hold for that project. A session, or a run, of
  which something is charged to another project it does not see, since their sums are of the whole; its own
  requests in them are among its `requests`.

What a program relies on stays: `docs/openapi.json` is what the server serves, and `make check` fails when
it takes anything from what `docs/openapi-kept.json` promises: an address, a field, its type, a parameter, a
word; or asks for something new. Fields and parameters may be added. `make openapi-keep` makes a new promise.

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

An empty body, list or object, `null`, and the request with which LiteLLM's proxy tests a callback are
answered 200 `{"import_id": null, "state": "empty", "href": null, "reason": …}`, and nothing is kept. LiteLLM's
`generic_api` callback may push here in each of its shapes: `json_array`, `ndjson` and `single`.

### CloudEvents

`POST /api/v1/events` also takes CloudEvents 1.0: one as `application/cloudevents+json`, several as
`application/cloudevents-batch+json`, or one in binary mode, whose headers `ce-id`, `ce-source`, `ce-time` … name it
and whose body is its data as `application/json`. The data of each event (`data`, or JSON in `data_base64`) is
one record or a list of them, each in any format whose records stand for themselves, or Tallybook's own. Events
of one batch may hold different ones; `format` is left out. A record without an id of its own is known by the
event's `source` and `id`, one without a time takes the event's `time`. An event without data counts nothing.

### OpenTelemetry

`POST /otlp/v1/traces` and `POST /otlp/v1/logs` are OTLP over HTTP: `application/x-protobuf` or
`application/json`, plain or packed with gzip or zstd, up to `TALLYBOOK_MAX_PUSH_MB`. Set an exporter's endpoint
to `http://…/otlp` and its header to `Authorization=Bearer …`. The address may have `project`, and what stands in
where records are silent: `provider`, `model`, `user_id` … What counts is told in
[formats.md](formats.md): spans and log records of GenAI's conventions, OpenInference and others, and Claude
Code's own events.

200 means that the export is in the books' inbox, or that nothing in it tells of usage, of which nothing is
kept. The answer is OTLP's own message in the encoding that was sent. Records that will be rejected are told at
once as `partial_success`, with their number and the first reason; the others count. A body that is no export
of this kind, or names a list of its records twice, is a 400 with a `Status` message (`code` 3, `message` "code: reason"); every other refusal is a
problem as below. An exporter sends again after 429 and 503; an error of Tallybook is a 503 here, never a 500.

`POST /otlp/v1/metrics` is there so that an exporter with one endpoint for all its signals is not disturbed:
200, with all data points refused as `partial_success`, and nothing kept. Metrics are sums without requests; the
same usage comes with traces or logs. (A file of exported metrics can be imported for comparison.)

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
