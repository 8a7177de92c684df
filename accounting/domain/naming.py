"""Names of one thing in many spellings: providers, models, and the key of a request."""

from hashlib import blake2b

from accounting.domain.usage import Identity

#: Each source's spelling of a provider -> the id of the built-in price list. Unknown stays as written.
PROVIDERS = {
    "anthropic": "anthropic",
    "claude": "anthropic",
    "openai": "openai",
    "text-completion-openai": "openai",
    "azure": "azure",
    "azure_ai": "azure",
    "azure_openai": "azure",
    "azure.ai.openai": "azure",
    "azure.ai.inference": "azure",
    "bedrock": "aws",
    "bedrock_converse": "aws",
    "aws.bedrock": "aws",
    "amazon-bedrock": "aws",
    "aws": "aws",
    "gemini": "google",
    "google": "google",
    "google_genai": "google",
    "vertex_ai": "google",
    "vertex": "google",
    "vertex_ai_beta": "google",
    "gcp.vertex_ai": "google",
    "gcp.gemini": "google",
    "gcp.gen_ai": "google",
    "xai": "x-ai",
    "x_ai": "x-ai",
    "x-ai": "x-ai",
    "grok": "x-ai",
    "deepseek": "deepseek",
    "mistral": "mistral",
    "mistral_ai": "mistral",
    "mistralai": "mistral",
    "groq": "groq",
    "cohere": "cohere",
    "cohere_chat": "cohere",
    "perplexity": "perplexity",
    "moonshot": "moonshotai",
    "moonshotai": "moonshotai",
    "together_ai": "together",
    "together": "together",
    "fireworks_ai": "fireworks",
    "fireworks": "fireworks",
    "openrouter": "openrouter",
}


def provider_id(written: str) -> str:
    """The canonical provider id of a source's spelling; an unknown spelling stays as written."""
    return PROVIDERS.get(written.strip().lower(), written.strip())


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
