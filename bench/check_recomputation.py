"""Compares three readings of a folder of sample logs: expected totals, ours, and a recomputation.

    TALLYBOOK_DATA_DIR=… python -m bench.check_recomputation FOLDER [--plain]

FOLDER holds `synthetic/EXPECTED.json` and `REAL_EXPECTED.json`, which map a file or folder below to its
totals. Each entry is ingested into an organization of its own, and the query layer asked. The
recomputation is plain Python over the raw files (tests/recomputation). --plain: without the database,
the recomputation against the expected totals alone. Prints each difference; exit code 1 if there is one.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from fnmatch import fnmatch
from io import StringIO
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import CommandError, call_command  # noqa: E402

from accounting.embedded.server import PrivateServer  # noqa: E402
from accounting.management.preparation import prepare_database  # noqa: E402
from accounting.models import Organization, Project  # noqa: E402
from bench.check_samples import number_of, path_of  # noqa: E402
from tests.recomputation.asking import told  # noqa: E402
from tests.recomputation.readers import READERS  # noqa: E402
from tests.recomputation.rows import Row, by_session, merged, summed  # noqa: E402

NAMES = (
    "requests",
    "errors",
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)
#: Pattern of an entry -> the reader's name, where the folder is not called like it.
FORMATS = {
    "claude_code_otel/*": "claude_code_otel",
    "claude_code/*": "claude_code",
    "codex/*": "codex",
    "codex_exec/*": "codex_exec",
    "gemini_cli/*": "gemini_cli",
    "opencode/*": "opencode",
    "cursor/*": "cursor_csv",
    "litellm/*": "litellm_payload",
    "docs_excerpts/litellm_*": "litellm_payload",
    "docs_excerpts/envoy_*": "envoy",
    "docs_excerpts/llama_bench*": "llama_bench",
    "openrouter/*": "openrouter_activity",
    "langfuse/*": "langfuse_trace",
    "cloudflare/ai_*": "cloudflare_logpush",
    "cloudflare/logs*": "cloudflare_logs",
    "vercel_ai_gateway/*": "vercel_gateway",
    "bedrock/*": "bedrock_invocation",
    "vertex/*": "vertex_log",
    "openai/chat_*": "openai_chat",
    "openai/responses*": "openai_responses",
    "openai/batch*": "openai_batch",
    "openai/organization*": "openai_org_usage",
    "anthropic/message*": "anthropic_messages",
    "anthropic/batch*": "anthropic_batch",
    "anthropic/*": "anthropic_cost_report",
    "gemini/*": "gemini_api",
    "openai_compat/*": "wrapped_body",
    "genai-prices/*": "wrapped_body",
    "otlp/metrics*": "otlp_metrics",
    "otlp/*": "otlp_traces",
    "openinference/*": "openinference",
    "vllm/*": "vllm_bench",
    "sglang/*": "sglang_bench",
    "llama_server/*": "prometheus",
    "provider_raw/amazon*": "bedrock_converse",
    "provider_raw/anthropic*": "anthropic_messages",
    "provider_raw/duplicate*": "anthropic_messages",
    "provider_raw/google*": "gemini_api",
    "provider_raw/openai-mcp*": "openai_responses",
    "provider_raw/*": "openai_chat",
    "tgi/*": "openai_chat",
}


def recomputed(name: str, path: Path) -> list[Row]:
    """The requests of an entry, each once, as plain Python reads them."""
    found = (form for pattern, form in FORMATS.items() if fnmatch(name, pattern))
    reader = READERS[next(found, name.partition("/")[0])]
    paths = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    return merged(reader([each for each in paths if each.name != "manifest.json"]))


def entries(folder: Path) -> Iterator[tuple[str, Path, Mapping[str, Any]]]:
    """Every entry with its path and its expected totals."""
    for expected, below in ((Path("synthetic/EXPECTED.json"), folder / "synthetic"),
                            (Path("REAL_EXPECTED.json"), folder)):  # fmt: skip
        for name, totals in json.loads((folder / expected).read_text()).items():
            yield name, path_of(below, name), totals


def against_expected(name: str, path: Path, expected: Mapping[str, Any]) -> Iterator[str]:
    """Each expected total that the recomputation does not give."""
    sums = summed(recomputed(name, path))
    for kind, value in zip(NAMES, sums.told, strict=True):
        if not expected.get("aggregate") and kind in expected and "lines" not in expected:
            wanted = number_of(expected[kind]) or 0
            if value != wanted:
                yield f"{name}: {kind} recomputed {value}, expected {wanted}"


def against_books(name: str, path: Path) -> Iterator[str]:
    """Each sum, of everything and of each session, that the query layer says otherwise."""
    rows = recomputed(name, path)
    books = told(read(path))
    if books.sums != summed(rows).told:
        yield f"{name}: the books say {books.sums}, recomputed {summed(rows).told}"
    for session, sums in by_session(rows).items():
        if books.sessions.get(session) != sums.told:
            found = books.sessions.get(session)
            yield f"{name}: of session {session} the books say {found}, recomputed {sums.told}"
        elif books.ratios[session] != sums.ratio:
            yield f"{name}: the ratio of {session} is {books.ratios[session]}, not {sums.ratio}"
    for session in books.sessions.keys() - by_session(rows).keys():
        yield f"{name}: only the books have a session {session} {books.sessions[session]}"


def read(path: Path) -> Any:
    """An organization of its own whose books hold what lies at a path."""
    slug = f"check-{time.time_ns()}"
    organization = Organization.objects.create(slug=slug, name=slug)
    Project.objects.create(organization=organization, slug="default", name="Default")
    with suppress(CommandError):  # some samples hold nothing that counts
        call_command(
            "ingest", str(path), organization=slug, json=True, stdout=StringIO(), stderr=StringIO()
        )
    return organization


def main() -> int:
    """Runs the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--plain", action="store_true")
    asked = parser.parse_args()
    found = list(entries(asked.folder.resolve()))
    wrong = 0
    for name, path, expected in found:
        lines = list(against_expected(name, path, expected))
        wrong += bool(lines)
        print(*lines, sep="\n", end="\n" if lines else "")
    print(f"{len(found) - wrong} of {len(found)} recomputed as expected", flush=True)
    if not asked.plain:
        wrong += compared(found)
    return bool(wrong)


def compared(found: Sequence[tuple[str, Path, Any]]) -> int:
    """How many entries the books tell otherwise, each difference printed."""
    with ExitStack() as stack:
        if settings.EMBEDDED:
            stack.enter_context(PrivateServer(settings.DATA_FOLDER).use())
        prepare_database()
        wrong = 0
        for name, path, _ in found:
            lines = list(against_books(name, path))
            wrong += bool(lines)
            print(*lines, sep="\n", end="\n" if lines else "", flush=True)
    print(f"{len(found) - wrong} of {len(found)} in the books as recomputed")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
