"""Books in which every name that somebody else can write tries to be markup, a script or a template."""

import json
from datetime import date, timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from accounting.models import AttributionRule, Project
from accounting.queries.filters import usage_filter
from accounting.services.closed_months import close_month
from accounting.services.pricebooks import import_table
from accounting.services.reprice_runs import draft_run
from accounting.services.repricing_chunks import carry_on
from accounting.services.saved_views import save_view
from accounting.services.tenants import create_api_key
from ingest.models import WatchedFolder
from ingest.services.mappings import save_mapping
from tests.browser.books import AUTHOR, member_of, native_line, organization_named, read_lines

#: Ends an attribute, a tag and a script; an element that nothing else on our pages is.
MARK = "<x-mark>"
SHORT = f"\"'><img src=x onerror=__xss=1>{MARK}"
LONG = (
    f'{SHORT}</title></script><script>__xss=1</script><a href="javascript:__xss=1">a</a>'
    "<br><b>b</b>%{x}{{ 7|add:7 }}&lt;i&gt;';__xss=1;//"
)
MODELS = (f"one {LONG}", f"two {LONG}")
TAG = f"tag {SHORT}"
FILE = f"file {SHORT}{{{{ 7 }}}}.jsonl"
SESSION = f"session {LONG}"
TABLE = f"when {SHORT},model {SHORT},tokens {SHORT}\n2026-10-10T12:00:00Z,{MARK},1000\n"
PASSWORD = "quotes and brackets"


def fill() -> None:
    """One organization that says such things wherever it can."""
    organization = organization_named("hostile", "USD")
    organization.name = LONG
    organization.save()
    owner = User.objects.get(username="hostile")
    owner.set_password(PASSWORD)
    owner.save()
    member_of(organization, f"person {SHORT}", "viewer")
    project = Project.objects.create(
        organization=organization, slug="hostile", name=f"project {LONG}", cost_center=SHORT
    )
    rates = [
        {
            "provider": f"provider {SHORT}",
            "model": MODELS[0],
            "unit": unit,
            "price": "3",
            "from": "2026-01-01",
            "source": f"source {SHORT}",
            "note": f"note {SHORT}",
            "region": f"region {SHORT}",
        }
        for unit in ("input", "output")
    ]
    plain = [{**rate, "region": ""} for rate in rates]
    book = {"code": SHORT, "currency": "USD", "name": f"book {LONG}"}
    table = {"book": book, "rates": rates + plain}
    import_table(json.dumps(table).encode(), organization=organization, by=AUTHOR)
    read_lines(organization, FILE, _requests())
    read_lines(organization, f"refused {FILE}", [LONG])
    read_lines(organization, f"run {FILE}", [_benchmark(number) for number in (1, 2)])
    for name in ("key", "other key"):
        create_api_key(
            organization_id=organization.pk,
            project_id=project.pk,
            name=f"{name} {LONG}",
            scopes=["ingest"],
        )
    save_view(
        organization_id=organization.pk,
        user_id=owner.pk,
        name=f"view {SHORT}",
        page="overview",
        query="range=all",
        is_shared=True,
    )
    columns = {
        "started_at": f"when {SHORT}",
        "model": f"model {SHORT}",
        "input_tokens": f"in {SHORT}",
    }
    save_mapping(
        organization_id=organization.pk,
        definition={"name": f"mapping {SHORT}", "columns": columns, "time": "iso"},
    )
    WatchedFolder.objects.create(
        organization=organization,
        path=f"/folder/{LONG}",
        only=SHORT,
        error_code="unreadable",
        reason=f"reason {LONG}",
    )
    AttributionRule.objects.create(
        organization=organization,
        position=1,
        project=project,
        api_key_name=f"key {LONG}",
        user_id=f"user {LONG}",
        team=f"team {LONG}",
        tag=TAG,
        tag_value=f"value {LONG}",
        working_folder=f"/work/{LONG}",
    )
    close_month(organization_id=organization.pk, month=date(2026, 8, 1))
    asked = {"range": ["all"], "model": [MODELS[0]], "user": [f"user {LONG}"]}
    run = draft_run(wanted=usage_filter(asked, organization, timezone.now()), user_id=owner.pk)
    carry_on(run_id=run.run_id)


def _requests() -> list[str]:
    """Requests of two models over two days, one that failed, and lines that are refused."""
    names = {
        "provider": f"provider {SHORT}",
        "session_id": SESSION,
        "user_id": f"user {LONG}",
        "team": f"team {LONG}",
        "agent": f"agent {LONG}",
        "environment": f"environment {LONG}",
        "api_key_name": f"key {LONG}",
        "cost_center": SHORT,
        "project": "hostile",
        "service_tier": "<b>'\"",
        "operation": "<i>'\"",
        "region": f"region {SHORT}",
        "finish_reason": SHORT,
        "tags": {TAG: f"value {LONG}"},
    }
    failed = {"status": "error", "error_type": f"error {LONG}"}
    start = timezone.now() - timedelta(days=2)
    lines = [
        native_line(
            f"id {number} {LONG}",
            MODELS[number % 2],
            start + timedelta(hours=7 * number),
            **names,
            **(failed if number == 5 else {}),
        )
        for number in range(6)
    ]
    lines.append(native_line("unknown", MODELS[0], start, **{SHORT: LONG}))
    lines.append(native_line("moment", MODELS[0], start, updated_at=LONG))
    return lines


def _benchmark(number: int) -> str:
    return json.dumps(
        {
            "date": "20260407-081500",
            "endpoint_type": "vllm",
            "backend": f"backend {number} {LONG}",
            "label": f"label {number} {LONG}",
            "model_id": MODELS[0],
            "tokenizer_id": MODELS[0],
            "num_prompts": 2,
            "gpu": f"gpu {number} {LONG}",
            "request_rate": 4.0,
            "duration": 2.5,
            "completed": 2,
            "failed": 0,
            "total_input_tokens": 250,
            "total_output_tokens": 8,
            "input_lens": [100, 150],
            "output_lens": [5, 3],
            "start_times": [5120.5, 5120.75],
            "ttfts": [0.04, 0.05],
            "itls": [[0.01, 0.01, 0.02, 0.01], [0.015, 0.015]],
            "generated_texts": ["", ""],
            "errors": ["", ""],
        }
    )
