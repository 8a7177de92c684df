"""API keys: what programs send usage and ask questions with."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounting.models import ApiKey, Organization
from accounting.services import tenants
from accounting.web.access import changes
from accounting.web.forms.keys import KeyForm


@never_cache
@require_http_methods(["GET", "POST"])
@changes("keys")
def keys(request: HttpRequest, organization: Organization) -> HttpResponse:
    """List the keys and make one, which this answer shows for the only time."""
    form = KeyForm(organization.pk, request.POST if request.method == "POST" else None)
    made = ""
    if form.is_valid():
        wanted = form.cleaned_data
        made = tenants.create_api_key(
            organization_id=organization.pk,
            project_id=wanted["project"].pk,
            name=wanted["name"],
            scopes=wanted["scopes"],
            is_limited=wanted["is_limited"],
        )
        form = KeyForm(organization.pk)
    context = {
        "organization": organization,
        "form": form,
        "made": made,
        "keys": ApiKey.objects.of(organization.pk).select_related("project").order_by("-pk"),
        "origin": f"{request.scheme}://{request.get_host()}",
    }
    return render(request, "keys/page.html", context)


@require_POST
@changes("keys")
def revoke(request: HttpRequest, organization: Organization, key_id: int) -> HttpResponse:
    """Make a key open nothing any more."""
    key = get_object_or_404(ApiKey.objects.of(organization.pk), pk=key_id)
    tenants.revoke_api_key(organization_id=organization.pk, key_id=key_id)
    said = _("The key %(name)s opens nothing any more; what it sent stays in the books.")
    messages.success(request, said % {"name": key.name}, extra_tags="good")
    return redirect("keys")
