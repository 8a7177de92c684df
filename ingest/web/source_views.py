"""Sources: how programs send usage here, and what came of it lately."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounting.models import Organization
from accounting.services import tenants
from accounting.web.access import changes
from accounting.web.forms.keys import KeyForm
from accounting.web.polling import number, polling
from ingest.models import WatchedFolder
from ingest.services.trying import send_test_event
from ingest.tasks.bell import ring
from ingest.web.deliveries import deliveries, watch
from ingest.web.snippets import snippets


@never_cache
@require_http_methods(["GET", "POST"])
@changes("keys")
def sources(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Snippets, the last deliveries, and whether the first has come; a POST makes a key for them."""
    form = KeyForm(organization.pk, request.POST if request.method == "POST" else None)
    made, waited_for = "", number(request, "key")
    if form.is_valid():
        wanted = form.cleaned_data
        made = tenants.create_api_key(
            organization_id=organization.pk,
            project_id=wanted["project"].pk,
            name=wanted["name"],
            scopes=wanted["scopes"],
            is_limited=wanted["is_limited"],
        )
        key = tenants.key_named(organization_id=organization.pk, name=wanted["name"])
        waited_for = key.pk
        form = KeyForm(organization.pk)
    origin = f"{request.scheme}://{request.get_host()}"
    context = {
        "organization": organization,
        "form": form,
        "made": made,
        "snippets": snippets(origin, made, timezone.now()),
        "deliveries": deliveries(organization.pk),
        "watch": watch(organization.pk, key_id=waited_for, import_id=number(request, "import")),
        "waited_for": waited_for,
        "folders": WatchedFolder.objects.of(organization.pk).order_by("path"),
        **polling(request),
    }
    part = "#deliveries" if request.headers.get("HX-Request") else ""
    status = 422 if form.errors else 200
    return render(request, f"sources/page.html{part}", context, status=status)


@require_POST
@changes("data")
def send_test(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Send an event that counts nothing, and watch it arrive, beside the key that is waited for."""
    receipt = send_test_event(
        organization_id=organization.pk, user_id=request.user.pk, now=timezone.now()
    )
    if receipt.import_id is None:
        messages.error(request, receipt.reason, extra_tags="danger")
        return redirect("sources")
    transaction.on_commit(ring, robust=True)
    key = request.POST.get("key", "")
    waited_for = f"&key={key}" if key.isascii() and key.isdecimal() else ""
    return redirect(f"{reverse('sources')}?import={receipt.import_id}{waited_for}#deliveries")
