"""Books for looking at: made inside a site's own process, each in an organization of its own.

`empty` has nothing, `sample` some of everything, `foreign` costs of millions in a currency that no
rate converts. Whoever belongs to them signs in with the organization's name and PASSWORD.
"""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from django.contrib.auth.models import User
from django.utils import timezone

from accounting.models import AttributionRule, Membership, Organization, Project
from accounting.queries.filters import usage_filter
from accounting.services.closed_months import close_month
from accounting.services.demo import load_demo
from accounting.services.pricebooks import Author, import_table
from accounting.services.reprice_runs import apply_run, draft_run
from accounting.services.repricing_chunks import carry_on
from accounting.services.tenants import create_api_key
from ingest.models import WatchedFolder
from ingest.services.paths import read_path
from ingest.services.receive import Sender
from tests.browser.scenes import LONG_NAME, PASSWORD

SAMPLES = Path(__file__).parent / "samples"
AUTHOR = Author(user="sample", confirmed=True)


def fill() -> None:
    """Make the three organizations and a viewer of the sample."""
    organization_named("empty", "EUR")
    member_of(sample(), "viewer", "viewer")
    _foreign(organization_named("foreign", "EUR"))
    newcomer = Organization.objects.create(slug="newcomer", name="Newcomers")
    member_of(newcomer, "newcomer", "owner")


def walked(name: str) -> None:
    """Books for the golden paths, whose owner has the name and whose analyst's ends in `-too`.

    The demo's days, two benchmark runs, a price of a credit. Prints a key that reads.
    """
    organization = organization_named(name, "USD")
    member_of(organization, f"{name}-too", "analyst")
    load_demo(organization_id=organization.pk, now=timezone.now())
    credit = {"price": "0.001", "currency": "USD", "kind": "credit", "from": "2026-01-01"}
    import_table(
        json.dumps({"credit_rates": [credit]}).encode(), organization=organization, by=AUTHOR
    )
    benchmark = SAMPLES.parents[1] / "samples" / "vllm_bench" / "runs.jsonl"
    read_path(str(benchmark), sender=Sender(organization_id=organization.pk))
    key = create_api_key(
        organization_id=organization.pk,
        project_id=Project.objects.of(organization.pk).get(slug="default").pk,
        name="Script",
        scopes=["read"],
    )
    print(json.dumps({"key": key}))


def opened(name: str) -> None:
    """Books with nothing in them, and their owner of the same name."""
    organization_named(name, "USD")
    print(json.dumps({"name": name}))


def sample() -> Organization:
    """Demo days, an import with rejections and doubts, two currencies, a closed and corrected month."""
    organization = organization_named("sample", "USD")
    # Prices first: what comes before them would have to be priced again.
    _price(organization, "own", "USD", {"jasper-2": ("1", "4"), "gpt-5": ("1.25", "10")})
    _price(organization, "yuan", "CNY", {"jade-9b": ("2", "8")})
    rates = {"fx_rates": [{"from_currency": "CNY", "to_currency": "USD", "rate": "0.1385"}]}
    credit = {"credit_rates": [{"price": "0.001", "currency": "USD", "kind": "credit"}]}
    for table in (rates, credit):
        for row in next(iter(table.values())):
            row["from"] = "2026-01-01"
        import_table(json.dumps(table).encode(), organization=organization, by=AUTHOR)
    load_demo(organization_id=organization.pk, now=timezone.now())
    read_lines(organization, LONG_NAME, _august())
    read_lines(organization, "notes.txt", ["Dear diary, today I spent nothing."])
    path = SAMPLES / "session.jsonl"
    read_path(str(path), sender=Sender(organization_id=organization.pk))
    read_path(str(path), sender=Sender(organization_id=organization.pk))
    benchmark = SAMPLES.parents[1] / "samples" / "vllm_bench" / "runs.jsonl"
    read_path(str(benchmark), sender=Sender(organization_id=organization.pk))
    WatchedFolder.objects.create(
        organization=organization, path="/var/log/gateways/europe", only="*.jsonl*"
    )
    project = Project.objects.of(organization.pk).get(slug="default")
    AttributionRule.objects.create(
        organization=organization, position=1, project=project, working_folder="/home/ana/mill"
    )
    close_month(organization_id=organization.pk, month=date(2026, 8, 1))
    _price(organization, "own", "USD", {"jasper-2": ("1.5", "4"), "gpt-5": ("1.5", "12")})
    for choice in ("jasper-2", "gpt-5"):
        _reprice(organization, choice, is_applied=choice == "jasper-2")
    for name, scopes in (("Gateway in Frankfurt", ["ingest"]), ("Grafana", ["read"])):
        create_api_key(
            organization_id=organization.pk, project_id=project.pk, name=name, scopes=scopes
        )
    return organization


def organization_named(name: str, currency: str) -> Organization:
    organization = Organization.objects.create(
        slug=name,
        name=f"{name.title()} books",
        currency=currency,
        time_zone="Europe/Berlin",
        configured_at=timezone.now(),
    )
    Project.objects.create(organization=organization, slug="default", name="Default project")
    member_of(organization, name, "owner")
    return organization


def member_of(organization: Organization, name: str, role: str) -> None:
    user = User.objects.create_user(name, password=PASSWORD)
    Membership.objects.create(organization=organization, user=user, role=role)


def _foreign(organization: Organization) -> None:
    """Five hundred long requests of a dear model: 1,620,000 USD, and not one euro."""
    _price(organization, "own", "USD", {"colossus-1": ("300", "600")})
    yesterday = (timezone.now() - timedelta(days=1)).replace(hour=3, minute=0, second=0)
    lines = (
        native_line(
            f"big-{number}",
            "colossus-1",
            yesterday + timedelta(seconds=number),
            input_tokens=9_000_000,
            cache_read_input_tokens=4_000_000,
            output_tokens=900_000,
            session_id=f"thread-{number % 7}",
        )
        for number in range(500)
    )
    read_lines(organization, "colossus.jsonl", lines)


def _august() -> list[str]:
    """A file with everything: two currencies, unpriced, failed, a doubt, four kinds of rejections."""
    start = datetime(2026, 8, 11, 9, tzinfo=UTC)
    lines = []
    for number in range(40):
        model = ("jasper-2", "jade-9b", "granite-3-preview-with-a-rather-long-name-20260801")[
            number % 3
        ]
        at = start + timedelta(minutes=7 * number)
        more = {"status": "error", "error_type": "rate_limited"} if number == 21 else {}
        more |= {"session_id": f"3f2a6c1e-7b1d-4a35-9a0e-0000000000{number // 10:02d}"}
        lines.append(native_line(f"august-{number}", model, at, **more))
    later = timezone.now() + timedelta(days=30)
    lines += [native_line(f"later-{number}", "jasper-2", later) for number in range(3)]
    lines += [
        '{"id": "cut", "model": "jas',
        native_line("negative", "jasper-2", start, input_tokens=-1),
        native_line("unknown", "jasper-2", start, colour="red"),
        json.dumps({"id": "timeless", "model": "jasper-2", "input_tokens": 1}),
        '["a", "list"]',
    ]
    return lines


def native_line(request_id: str, model: str, at: datetime, **more: object) -> str:
    counts = {"input_tokens": 12_000, "cache_read_input_tokens": 4_000, "output_tokens": 800}
    return json.dumps(
        {"id": request_id, "model": model, "started_at": at.isoformat(), **counts, **more}
    )


def read_lines(organization: Organization, name: str, lines: object) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text("\n".join(lines) + "\n")  # type: ignore[arg-type]
        read_path(str(path), sender=Sender(organization_id=organization.pk))


def _price(
    organization: Organization, book: str, currency: str, models: dict[str, tuple[str, str]]
) -> None:
    rates = [
        {
            "provider": "openai" if model == "gpt-5" else "",
            "model": model,
            "unit": unit,
            "price": price,
            "from": "2026-01-01",
        }
        for model, prices in models.items()
        for unit, price in zip(("input", "output"), prices, strict=True)
    ]
    table = {"book": {"code": f"{book}-{currency.lower()}", "currency": currency}, "rates": rates}
    import_table(json.dumps(table).encode(), organization=organization, by=AUTHOR)


def _reprice(organization: Organization, model: str, *, is_applied: bool) -> None:
    params = {"from": ["2026-08-01"], "to": ["2026-12-01"], "model": [model]}
    owner = User.objects.get(username="sample")
    run = draft_run(wanted=usage_filter(params, organization, timezone.now()), user_id=owner.pk)
    carry_on(run_id=run.run_id)
    if is_applied:
        apply_run(organization_id=organization.pk, run_id=run.run_id)
        carry_on(run_id=run.run_id)
