"""Settings: what holds for the organization, and what readers choose for themselves."""

from django.contrib import messages
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounting.domain.errors import DomainError
from accounting.models import AttributionRule, Membership, Organization, Project
from accounting.services import tenants
from accounting.web import refusals
from accounting.web.access import changes, for_member
from accounting.web.forms.preferences import PreferencesForm
from accounting.web.forms.settings import OrganizationForm, ProjectForm
from accounting.web.preferences import chosen, keep
from accounting.web.returning import way_back


@require_GET
@for_member
def settings(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Everything that can be set."""
    return settings_page(request, organization)


def settings_page(
    request: HttpRequest,
    organization: Organization,
    *,
    about: OrganizationForm | None = None,
    project: ProjectForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page, with a form that was refused in the place of a fresh one."""
    projects = Project.objects.of(organization.pk)
    members = Membership.objects.of(organization.pk)
    context = {
        "organization": organization,
        "preferences": PreferencesForm(initial=chosen(request)),
        "about": about or OrganizationForm(organization),
        "new_project": project or ProjectForm(auto_id="id_project_%s"),
        "week_start": WEEKDAYS[organization.week_start],
        "projects": projects.order_by(F("archived_at").asc(nulls_first=True), "name"),
        "rules": AttributionRule.objects.of(organization.pk)
        .select_related("project")
        .order_by("position"),
        "members": members.select_related("user").order_by("user__username"),
    }
    return render(request, "settings/page.html", context, status=status)


@require_POST
@changes("settings")
def change_organization(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Name, currency, zone and weeks; what the books do not allow is said."""
    form = OrganizationForm(organization, request.POST)
    if form.is_valid():
        wanted = form.cleaned_data
        try:
            tenants.configure(
                organization_id=organization.pk,
                currency=wanted["currency"],
                time_zone=wanted["time_zone"],
                week_start=wanted["week_start"],
            )
        except DomainError as error:
            form.add_error(None, refusals.told(error))
        else:
            tenants.rename_organization(organization_id=organization.pk, name=wanted["name"])
            messages.success(request, _("The settings are kept."), extra_tags="good")
            return redirect("settings")
    return settings_page(request, organization, about=form, status=422)


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Keep what was chosen in the reader's browser and go back; a choice that is none is refused."""
    form = PreferencesForm(request.POST)
    if not form.is_valid():
        said = " ".join(str(error) for errors in form.errors.values() for error in errors)
        messages.error(request, said, extra_tags="danger")
        return redirect("settings")
    back = way_back(request)
    answer = redirect(back or "settings")
    sent = {name: form.cleaned_data[name] for name in form.fields if name in request.POST}
    for name, value in sent.items():
        keep(answer, name, value)
    if not back:
        # In the language that was chosen just now: the next page is written in it.
        with translation.override(sent.get("language") or translation.get_language()):
            messages.success(request, _("Your choice is kept in this browser."), extra_tags="good")
    return answer
