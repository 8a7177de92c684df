"""A growing CSV log: OpenRouter's activity, whose rows have ids."""

_COLUMNS = (
    "generation_id,created_at,cost_total,tokens_prompt,tokens_completion,tokens_reasoning,"
    "tokens_cached,model_permaslug,provider_name,variant,cancelled,streamed,user,api_key_name"
)


def columns():
    """The header line."""
    return f"{_COLUMNS}\n".encode()


def rows(*numbers):
    """One row for each number: 100 input and 10 output tokens."""
    return "".join(
        f"gen-{number},2026-03-02 10:00:00.123,0.00492,100,10,0,0,openai/gpt-4o,OpenAI,standard,"
        f"false,true,ada,ci-key\n"
        for number in numbers
    ).encode()
