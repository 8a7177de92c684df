"""Every log format that Tallybook reads. Their order does not matter: two claims are an error."""

from ingest.formats import (
    amp,
    anthropic_messages,
    azure_apim,
    bedrock_invocation,
    bifrost,
    claude_code,
    claude_code_otel,
    cline,
    cloudflare_logpush,
    cloudflare_logs,
    codex,
    codex_exec,
    copilot_otel,
    copilot_sdk,
    cursor_csv,
    databricks,
    envoy,
    gemini_cli,
    helicone,
    kong,
    langfuse_observations,
    langfuse_trace,
    litellm_payload,
    litellm_spend_logs,
    native,
    newapi,
    openai_chat,
    openai_responses,
    opencode,
    openrouter_activity,
    openrouter_generation,
    portkey,
    roo,
    token_timing,
    vercel_gateway,
    vertex_log,
)
from ingest.formats.base import Format, UnreadableError

FORMATS: tuple[Format, ...] = (
    native.FORMAT,
    claude_code.FORMAT,
    litellm_payload.FORMAT,
    litellm_spend_logs.FORMAT,
    openai_chat.FORMAT,
    openai_responses.FORMAT,
    anthropic_messages.FORMAT,
    token_timing.FORMAT,
    openrouter_generation.FORMAT,
    openrouter_activity.FORMAT,
    helicone.FORMAT,
    langfuse_observations.FORMAT,
    langfuse_trace.FORMAT,
    portkey.FORMAT,
    cloudflare_logpush.FORMAT,
    cloudflare_logs.FORMAT,
    envoy.FORMAT,
    kong.FORMAT,
    newapi.FORMAT,
    bifrost.FORMAT,
    vercel_gateway.FORMAT,
    databricks.FORMAT,
    azure_apim.FORMAT,
    bedrock_invocation.FORMAT,
    vertex_log.FORMAT,
    amp.FORMAT,
    claude_code_otel.FORMAT,
    cline.FORMAT,
    codex.FORMAT,
    codex_exec.FORMAT,
    copilot_otel.FORMAT,
    copilot_sdk.FORMAT,
    cursor_csv.FORMAT,
    gemini_cli.FORMAT,
    opencode.FORMAT,
    roo.FORMAT,
)


def by_name(name: str) -> Format:
    """The format of that name, or UnreadableError unknown_format."""
    for known in FORMATS:
        if known.name == name:
            return known
    names = ", ".join(known.name for known in FORMATS)
    raise UnreadableError("unknown_format", f"no format is named {name[:80]!r}; there are {names}")
