"""How an answer ended: which words of which vendor mean that it was cut for its length."""

#: Finish reasons in lower case. OpenAI and most others: length; Anthropic, Bedrock, Gemini, Cohere:
#: max_tokens; OpenAI Responses: max_output_tokens; Mistral and Anthropic where the context is full:
#: model_length, model_context_window_exceeded.
CUT_BY_LENGTH = (
    "length",
    "max_tokens",
    "max_output_tokens",
    "max_length",
    "token_limit",
    "model_length",
    "model_context_window_exceeded",
)
#: A turn that sends less than this share of what the turn before sent has lost context.
CONTEXT_KEPT_PERCENT = 70


def is_cut_by_length(finish_reason: str) -> bool:
    """Whether a reason, or one of several with commas between, is one of these."""
    return not set(CUT_BY_LENGTH).isdisjoint(finish_reason.lower().split(","))


def is_context_cut(input_tokens: int | None, before: int | None) -> bool:
    """Whether a turn's input is less than the kept share of the input of the turn before."""
    if input_tokens is None or before is None:
        return False
    return 100 * input_tokens < CONTEXT_KEPT_PERCENT * before


def is_continuation(input_tokens: int | None, before: int | None, answered: int | None) -> bool:
    """Whether a turn sends again all that the turn before sent and was answered."""
    if input_tokens is None or before is None or answered is None:
        return False
    return input_tokens >= before + answered
