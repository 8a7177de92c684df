"""Where GenAI instrumentations put what they know of a request: the names of each, the newest first.

OpenTelemetry's GenAI conventions now and before, OpenInference, OpenLLMetry (Traceloop), Pydantic's
details, and Vercel's AI SDK.
"""

_NOW, _DETAILS, _OI, _LOOP, _AI = (
    "gen_ai.usage.",
    "gen_ai.usage.details.",
    "llm.token_count.",
    "llm.usage.",
    "ai.usage.",
)

INPUT = (
    _NOW + "input_tokens",
    _NOW + "prompt_tokens",
    _LOOP + "prompt_tokens",
    _OI + "prompt",
    _AI + "inputTokens",
    _AI + "promptTokens",
    _AI + "tokens",
)
OUTPUT = (
    _NOW + "output_tokens",
    _NOW + "completion_tokens",
    _LOOP + "completion_tokens",
    _OI + "completion",
    _AI + "outputTokens",
    _AI + "completionTokens",
)
TOTAL = (
    _NOW + "total_tokens",
    _LOOP + "total_tokens",
    _OI + "total",
    _AI + "totalTokens",
)
CACHE_READ = (
    _NOW + "cache_read.input_tokens",
    _NOW + "cache_read_input_tokens",
    _DETAILS + "cache_read_tokens",
    _DETAILS + "cache_read_input_tokens",
    _DETAILS + "cached_tokens",
    _LOOP + "cache_read_input_tokens",
    _OI + "prompt_details.cache_read",
    _AI + "cachedInputTokens",
)
CACHE_WRITE = (
    _NOW + "cache_write.input_tokens",
    _NOW + "cache_creation.input_tokens",
    _NOW + "cache_creation_input_tokens",
    _DETAILS + "cache_write_tokens",
    _DETAILS + "cache_creation_input_tokens",
    _LOOP + "cache_creation_input_tokens",
    _OI + "prompt_details.cache_write",
)
REASONING = (
    _NOW + "reasoning.output_tokens",
    _NOW + "reasoning_tokens",
    _DETAILS + "reasoning_tokens",
    _LOOP + "reasoning_tokens",
    _OI + "completion_details.reasoning",
    _AI + "reasoningTokens",
)
INPUT_AUDIO = (_DETAILS + "input_audio_tokens", _OI + "prompt_details.audio")
OUTPUT_AUDIO = (_DETAILS + "output_audio_tokens", _OI + "completion_details.audio")

PROVIDER = (
    "gen_ai.provider.name",
    "gen_ai.system",
    "llm.provider",
    "llm.system",
    "llm.vendor",
    "ai.model.provider",
)
REQUEST_MODEL = (
    "gen_ai.request.model",
    "llm.request.model",
    "llm.model_name",
    "embedding.model_name",
    "ai.model.id",
)
RESPONSE_MODEL = ("gen_ai.response.model", "llm.response.model", "ai.response.model")
RESPONSE_ID = ("gen_ai.response.id", "llm.response.id", "ai.response.id")
FINISH = ("gen_ai.response.finish_reasons", "ai.response.finishReason")
TIER = (
    "openai.response.service_tier",
    "gen_ai.openai.response.service_tier",
    "openai.request.service_tier",
    "gen_ai.openai.request.service_tier",
)
SESSION = (
    "gen_ai.conversation.id",
    "session.id",
    "ai.telemetry.metadata.sessionId",
    "traceloop.association.properties.session_id",
)
USER = (
    "user.id",
    "enduser.id",
    "ai.telemetry.metadata.userId",
    "traceloop.association.properties.user_id",
)
COST = ("llm.cost.total", "gen_ai.usage.cost", "operation.cost")
FIRST_CHUNK_S = ("gen_ai.response.time_to_first_chunk", "gen_ai.server.time_to_first_token")
FIRST_CHUNK_MS = ("ai.response.msToFirstChunk", "ai.stream.msToFirstChunk")
ENVIRONMENT = ("deployment.environment.name", "deployment.environment")

#: Names one of which a span of any of these instrumentations has.
PREFIXES = ("gen_ai.", "openinference.", "llm.", "ai.")
