"""The first sign-in's two questions: currency and time zone."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounting.domain.errors import DomainError
from accounting.services import tenants
from accounting.web import refusals
from accounting.web.access import membership_of, refuse_unless
from accounting.web.forms.welcome import WelcomeForm, currency_of_reader


@require_http_methods(["GET", "POST"])
def welcome(request: HttpRequest) -> HttpResponse:
    """Ask once in which currency and zone the books are kept."""
    membership = membership_of(request)
    organization = membership.organization
    if organization.configured_at is not None:
        return redirect("overview")
    refuse_unless(membership, "settings")
    guess = {
        "currency": currency_of_reader(request.headers.get("Accept-Language", "")),
        "time_zone": organization.time_zone,
    }
    form = WelcomeForm(request.POST or None, initial=guess)
    if form.is_valid():
        try:
            tenants.configure(
                organization_id=organization.pk,
                currency=form.cleaned_data["currency"],
                time_zone=form.cleaned_data["time_zone"],
            )
        except DomainError as error:
            form.add_error(None, refusals.told(error))
        else:
            tenants.name_first(
                organization_id=organization.pk,
                name=_("My organization"),
                project=_("Default project"),
            )
            return redirect("overview")
    return render(request, "welcome/page.html", {"form": form})
