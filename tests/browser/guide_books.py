"""Books of the user guide's pictures: sample usage, a gateway's file, two benchmark runs, one credit rate.

Made inside the site's own process; each number comes from a seed or stands here.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from django.contrib.auth.models import User
from django.utils import timezone

from accounting.models import Membership, Organization, Project
from accounting.services.demo import load_demo
from accounting.services.pricebooks import Author, import_table
from ingest.services.paths import read_path
from ingest.services.receive import Sender
from tests.browser.scenes import PASSWORD

SEED = 8
AUTHOR = Author(user="guide", confirmed=True)
SERVED = "Qwen/Qwen3-8B"
GATEWAY = "gateway-november.jsonl"
MODELS = (("openai", "gpt-5-mini"), ("anthropic", "claude-sonnet-4-5"), ("", "loom-7b"))
PEOPLE = ("fay", "gus", "hana")


def fill() -> None:
    """Make `guide`, whose books hold everything, and `first`, whose books are empty."""
    for name in ("guide", "first"):
        organization = Organization.objects.create(
            slug=name,
            name="Example Company",
            currency="USD",
            time_zone="Europe/Berlin",
            configured_at=timezone.now(),
        )
        Project.objects.create(organization=organization, slug="default", name="Default project")
        user = User.objects.create_user(name, password=PASSWORD)
        Membership.objects.create(organization=organization, user=user, role="owner")
    organization = Organization.objects.get(slug="guide")
    load_demo(organization_id=organization.pk, now=timezone.now())
    import_table(json.dumps(_prices()).encode(), organization=organization, by=AUTHOR)
    random = Random(SEED)
    _read(organization, "vllm-one-gpu.jsonl", [_run(random, "one GPU", 4, 0.30, 0.036)])
    _read(organization, "vllm-two-gpus.jsonl", [_run(random, "two GPUs", 8, 0.19, 0.024)])
    _read(organization, GATEWAY, _gateway(random))


def _prices() -> dict:
    rates = [
        {"provider": "", "model": SERVED, "unit": unit, "price": price, "from": "2026-01-01"}
        for unit, price in (("input", "0.05"), ("output", "0.20"))
    ]
    credit = {"price": "0.001", "currency": "USD", "kind": "credit", "from": "2026-01-01"}
    return {
        "book": {"code": "own-usd", "currency": "USD"},
        "rates": rates,
        "credit_rates": [credit],
    }


def _gateway(random: Random) -> list[str]:
    """Forty conversations of one day; two lines stand twice, two are damaged, one model has no price."""
    start = datetime(2026, 11, 23, 8, tzinfo=UTC)
    lines = []
    for number in range(40):
        provider, model = MODELS[0 if number % 3 == 0 else 2 if number % 13 == 1 else 1]
        history = random.randrange(2_000, 6_000)
        for turn in range(random.randrange(3, 9)):
            at = start + timedelta(minutes=11 * number + 2 * turn)
            answer = random.randrange(150, 900)
            lines.append(
                json.dumps(
                    {
                        "id": f"november-{number}-{turn}",
                        "provider": provider,
                        "model": model,
                        "started_at": at.isoformat(),
                        "input_tokens": history + 300,
                        "cache_read_input_tokens": history * 9 // 10 if turn else 0,
                        "output_tokens": answer,
                        "session_id": f"november-{number:02}",
                        "user_id": PEOPLE[number % 3],
                    }
                )
            )
            history += 300 + answer
    damaged = ['{"id": "cut-off", "model": "gpt-', '{"id": "timeless", "model": "gpt-5-mini"}']
    return [*lines, *lines[:2], *damaged]


def _run(random: Random, label: str, rate: int, ttft: float, tpot: float) -> str:
    """What vLLM's benchmark writes of sixty requests; ttft, tpot: seconds."""
    requests = 60
    outputs = [random.randrange(180, 260) for _ in range(requests)]
    ttfts = [round(ttft * random.uniform(0.7, 1.9), 4) for _ in range(requests)]
    itls = [[round(tpot * random.uniform(0.8, 1.3), 4) for _ in range(n - 1)] for n in outputs]
    starts = [round(number / rate, 3) for number in range(requests)]
    ends = [
        start + first + sum(gaps) for start, first, gaps in zip(starts, ttfts, itls, strict=True)
    ]
    return json.dumps(
        {
            "date": "20261120-101500" if rate == 4 else "20261120-103000",
            "endpoint_type": "vllm",
            "backend": "vllm",
            "label": label,
            "model_id": SERVED,
            "tokenizer_id": SERVED,
            "num_prompts": requests,
            "request_rate": float(rate),
            "burstiness": 1.0,
            "max_concurrency": None,
            "duration": round(max(ends), 3),
            "completed": requests,
            "failed": 0,
            "total_input_tokens": 1_000 * requests,
            "total_output_tokens": sum(outputs),
            "request_throughput": round(requests / max(ends), 3),
            "input_lens": [1_000] * requests,
            "output_lens": outputs,
            "start_times": starts,
            "ttfts": ttfts,
            "itls": itls,
            "generated_texts": [""] * requests,
            "errors": [""] * requests,
        }
    )


def _read(organization: Organization, name: str, lines: list[str]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text("\n".join(lines) + "\n")
        read_path(str(path), sender=Sender(organization_id=organization.pk))
