"""Which reader reads which folder of samples."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from tests.recomputation import agents, gateways, machines, providers, spans, wrapped
from tests.recomputation.rows import Row

type Reader = Callable[[list[Path]], Iterable[Row]]


def each(reader: Callable[[Path], Iterable[Row]], paths: list[Path]) -> Iterator[Row]:
    """The rows of every file by itself."""
    for path in paths:
        yield from reader(path)


def nothing(paths: list[Path]) -> Iterable[Row]:
    """Reports that are kept for comparison hold no requests."""
    return ()


_BY_FILE = {
    "aiperf": machines.aiperf,
    "amp": agents.amp,
    "anthropic_batch": providers.anthropic_batch,
    "anthropic_messages": providers.anthropic_messages,
    "azure_apim": gateways.azure_apim,
    "bedrock_converse": providers.bedrock_converse,
    "bedrock_invocation": providers.bedrock_invocation,
    "bifrost": gateways.bifrost,
    "claude_code": agents.claude_code,
    "claude_code_otel": spans.claude_code_otel,
    "cline": agents.cline,
    "cloudevents": gateways.cloudevents,
    "cloudflare_logpush": gateways.cloudflare_logpush,
    "cloudflare_logs": gateways.cloudflare_logs,
    "codex_exec": agents.codex_exec,
    "cohere": providers.cohere,
    "copilot_otel": spans.copilot_otel,
    "copilot_sdk": agents.copilot_sdk,
    "cursor_csv": agents.cursor_csv,
    "dashscope": providers.dashscope,
    "databricks": gateways.databricks,
    "envoy": gateways.envoy,
    "gemini_api": providers.gemini_api,
    "gemini_cli": agents.gemini_cli,
    "genai_perf": machines.genai_perf,
    "guidellm": machines.guidellm,
    "helicone": gateways.helicone,
    "kong": gateways.kong,
    "langfuse_observations": spans.langfuse,
    "langfuse_trace": spans.langfuse,
    "litellm_payload": gateways.litellm,
    "litellm_spend_logs": gateways.litellm,
    "llama_bench": machines.llama_bench,
    "llmperf": machines.llmperf,
    "native": gateways.native,
    "newapi": gateways.newapi,
    "openai_batch": providers.openai_batch,
    "openai_chat": providers.openai_chat,
    "openai_responses": providers.openai_responses,
    "opencode": agents.opencode,
    "openinference": spans.openinference,
    "openrouter_activity": gateways.openrouter,
    "openrouter_generation": gateways.openrouter,
    "portkey": gateways.portkey,
    "roo": partial(agents.cline, is_roo=True),
    "sglang_bench": machines.arrays,
    "token_timing": machines.token_timing,
    "vercel_gateway": gateways.openrouter,
    "vertex_log": providers.vertex_log,
    "vllm_bench": machines.arrays,
    "wrapped_body": wrapped.wrapped_body,
}
READERS: dict[str, Reader] = {
    **{name: partial(each, reader) for name, reader in _BY_FILE.items()},
    "codex": agents.codex,
    "otlp_logs": spans.otlp,
    "otlp_traces": spans.otlp,
    **dict.fromkeys(
        (
            "anthropic_console_cost", "anthropic_console_usage", "anthropic_cost_report",
            "anthropic_usage_report", "github_ai_usage", "openai_org_costs", "openai_org_usage",
            "otlp_metrics", "prometheus",
        ),
        nothing,
    ),
}  # fmt: skip
