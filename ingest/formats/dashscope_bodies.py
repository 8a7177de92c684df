"""An answer of DashScope's own interface (not the one compatible with OpenAI's)."""

from collections.abc import Mapping

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.usage import NOTHING_REPORTED, Use
from ingest.formats.base import Item, Outcome, Skipped
from ingest.formats.body_reading import Family, Reading, usage_of
from ingest.formats.calls import counted, http_status
from ingest.formats.fields import Count, Decoder, text
from ingest.formats.openai_usage import WATCHED, state_of
from ingest.formats.vendor_usage import Usage, counts_of, warnings_of


class Choice(msgspec.Struct):
    """One of the answers."""

    finish_reason: str | None = None


class Output(msgspec.Struct):
    """What was answered; the older result format has one text and no choices."""

    finish_reason: str | None = None
    choices: list[Choice] | None = None


class Body(msgspec.Struct):
    """An answer, a chunk of one (its usage is cumulative), or an error (code and message)."""

    request_id: str | None = None
    status_code: Count = None
    code: str | int | None = None
    output: Output | None = None
    usage: Usage | None = None

    @property
    def finish_reason(self) -> str | None:
        """Why the answer ended; 'null' while it goes on."""
        output = self.output or Output()
        named = [output.finish_reason, *(each.finish_reason for each in output.choices or ())]
        return next((name for name in named if name not in {None, "null"}), None)


DECODER = Decoder(Body, WATCHED)


def fits(body: Mapping[str, object]) -> bool:
    """A request id beside an output and its tokens, or an error's code."""
    if "request_id" not in body or "id" in body:
        return False
    return ("output" in body and "input_tokens" in usage_of(body)) or {"code", "message"} <= set(
        body
    )


def read(item: Item, reading: Reading) -> Outcome:
    """One answer."""
    return outcome(DECODER.decoded(item), item, reading)


def outcome(body: Body, item: Item, reading: Reading, *, is_stream: bool | None = None) -> Outcome:
    """One answer, put together."""
    options, usage, code = reading.options, body.usage, str(body.code or "")
    if usage is None and not code:
        return Skipped(line=item.line)
    counts = NOTHING_REPORTED if usage is None else counts_of(usage)
    request_id = text(body.request_id, "request_id")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=reading.source,
        provider=provider_id(options.provider or "dashscope"),
        request_model=options.model,
        status="error" if code else "ok",
        http_status=http_status(body.status_code, "status_code"),
        error_type=text(code, "code"),
        error_origin="upstream" if code else "",
        finish_reason=text(body.finish_reason, "finish_reason", 80),
        is_stream=is_stream,
    )
    return counted(
        item,
        options,
        identity=reading.identity(item, response_id=request_id),
        use=use,
        started_at=None,
        warnings=warnings_of(usage, counts) if usage else (),
    )


FAMILY = Family(name="DashScope answer", fits=fits, read=read)
