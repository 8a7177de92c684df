"""The projects of the settings: added, renamed, put away and brought back."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounting.domain.errors import DomainError
from accounting.models import Organization, Project
from accounting.services import projects
from accounting.web import refusals
from accounting.web.access import changes
from accounting.web.forms.settings import ProjectForm
from accounting.web.views.settings import settings_page


@require_POST
@changes("settings")
def add(request: HttpRequest, organization: Organization) -> HttpResponse:
    """A new project."""
    form = ProjectForm(request.POST, auto_id="id_project_%s")
    if form.is_valid():
        try:
            project = projects.add_project(organization_id=organization.pk, **form.cleaned_data)
        except DomainError as error:
            form.add_error("name", refusals.told(error))
        else:
            said = _("The project %(name)s is there.") % {"name": project.name}
            messages.success(request, said, extra_tags="good")
            return redirect("settings")
    return settings_page(request, organization, project=form, status=422)


@require_POST
@changes("settings")
def change(request: HttpRequest, organization: Organization, project_id: int) -> HttpResponse:
    """Another name or cost center; or, with do=archive or do=restore, away and back."""
    project = get_object_or_404(Project.objects.of(organization.pk), pk=project_id)
    try:
        _changed(request, project)
    except DomainError as error:
        messages.error(request, refusals.told(error), extra_tags="danger")
    else:
        messages.success(request, _("The settings are kept."), extra_tags="good")
    return redirect("settings")


def _changed(request: HttpRequest, project: Project) -> None:
    organization_id, wanted = project.organization_id, request.POST.get("do", "")
    if wanted == "archive":
        projects.archive_project(organization_id=organization_id, project_id=project.pk)
    elif wanted == "restore":
        projects.restore_project(organization_id=organization_id, project_id=project.pk)
    else:
        form = ProjectForm(request.POST)
        if not form.is_valid():
            said = " ".join(str(error) for errors in form.errors.values() for error in errors)
            raise DomainError(said)
        projects.change_project(
            organization_id=organization_id, project_id=project.pk, **form.cleaned_data
        )
