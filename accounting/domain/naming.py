"""Names of one thing in many spellings: providers, models, and the key of a request."""

from hashlib import blake2b

from accounting.domain.usage import Identity

#: Each source's spelling of a provider -> the id of the built-in price list, which is its own spelling
#: too. Sources: LiteLLM, OpenTelemetry, OpenRouter, Langfuse, Vercel. Unknown stays as written.
PROVIDERS = {
    spelling: provider
    for provider, spellings in {
        "anthropic": "anthropic claude",
        "aws": "aws aws.bedrock aws_bedrock amazon-bedrock amazon_bedrock bedrock bedrock_converse",
        "azure": "azure azure_ai azure-openai azure_openai azure_text azureopenai",
        "baseten": "baseten",
        "cerebras": "cerebras",
        "cloudflare": "cloudflare cloudflare-workers-ai workers-ai",
        "cohere": "cohere cohere_chat",
        "cursor": "cursor",
        "databricks": "databricks",
        "deepseek": "deepseek",
        "elevenlabs": "elevenlabs",
        "fireworks": "fireworks fireworks_ai fireworks-ai",
        "github-copilot": "github-copilot github_copilot copilot github.copilot",
        "google": "google google_genai google-genai google-vertex google_vertexai gemini vertex"
        " vertexai vertex_ai vertex_ai_beta google-ai-studio",
        "groq": "groq",
        "meta": "meta meta_llama",
        "minimax": "minimax",
        "mistral": "mistral mistral_ai mistralai",
        "moonshotai": "moonshotai moonshot moonshot_ai kimi",
        "novita": "novita novita_ai",
        "openai": "openai text-completion-openai openai_responses openai-codex",
        "openrouter": "openrouter",
        "ovhcloud": "ovhcloud ovh",
        "perplexity": "perplexity pplx",
        "together": "together together_ai together-ai togetherai",
        "voyageai": "voyageai voyage",
        "x-ai": "x-ai xai x_ai grok",
        "zai": "zai z-ai z_ai",
        "zhipuai": "zhipuai zhipu bigmodel",
    }.items()
    for spelling in spellings.split()
}
#: OpenTelemetry and Vercel write the product behind the company: gcp.vertex_ai, openai.responses.
COMPANIES = PROVIDERS | {"gcp": "google"}


def provider_id(written: str) -> str:
    """The canonical provider id of a source's spelling; an unknown spelling stays as written."""
    name = written.strip()
    spelling = name.lower()
    if spelling in PROVIDERS:
        return PROVIDERS[spelling]
    company, dot, _ = spelling.partition(".")
    return COMPANIES.get(company, name) if dot else name


def dedupe_key(organization_id: int, identity: Identity) -> bytes:
    """The 16 bytes under which a request part stands once in an organization's books.

    blake2b over organization, part, and the strongest id: response id, trace + span, gateway request
    id, else the format's fingerprint. File names, digests and imports take no part.
    """
    if identity.response_id:
        basis, value = b"response", identity.response_id.encode()
    elif identity.trace_id and identity.span_id:
        basis, value = b"span", f"{identity.trace_id}:{identity.span_id}".encode()
    elif identity.gateway_request_id:
        basis, value = b"gateway", identity.gateway_request_id.encode()
    else:
        basis, value = b"fingerprint", identity.fingerprint
    head = b"%d\x00%d\x00%s\x00" % (organization_id, identity.part, basis)
    return blake2b(head + value, digest_size=16).digest()
