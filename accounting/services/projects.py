"""Projects: added, renamed, put away and brought back. None is deleted, for usage is charged to it."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounting.domain.errors import DomainError
from accounting.models import Project
from accounting.services.tenants import create_project

DEFAULT = "default"


class ProjectExistsError(DomainError):
    """Another project of the organization has the name."""

    code = "project_exists"


class DefaultProjectError(DomainError):
    """The default project takes what nothing attributes, so it stays."""

    code = "default_project_stays"


def add_project(*, organization_id: int, name: str, cost_center: str = "") -> Project:
    """A new project. Raises ProjectExistsError for a name, or what its address would be, that is taken."""
    _refuse_taken(organization_id, name)
    try:
        with transaction.atomic():
            project = create_project(organization_id=organization_id, name=name)
            project.cost_center = cost_center
            project.save(update_fields=["cost_center"])
    except IntegrityError:
        raise ProjectExistsError(f"{name[:80]!r} is too much like a project there is") from None
    return project


def change_project(
    *, organization_id: int, project_id: int, name: str, cost_center: str
) -> Project:
    """Give a project another name, and usage from now on another cost center; its slug stays.

    Raises ProjectExistsError, and Project.DoesNotExist for another organization's.
    """
    with transaction.atomic():
        project = Project.objects.of(organization_id).select_for_update().get(pk=project_id)
        _refuse_taken(organization_id, name, project_id)
        project.name, project.cost_center = name, cost_center
        project.save(update_fields=["name", "cost_center"])
    return project


def archive_project(
    *, organization_id: int, project_id: int, now: datetime | None = None
) -> Project:
    """Offer a project nowhere any more; its usage stays. Raises DefaultProjectError."""
    project = Project.objects.of(organization_id).get(pk=project_id)
    if project.slug == DEFAULT:
        raise DefaultProjectError("what nothing attributes belongs to this project, so it stays")
    project.archived_at = project.archived_at or now or timezone.now()
    project.save(update_fields=["archived_at"])
    return project


def restore_project(*, organization_id: int, project_id: int) -> Project:
    """Offer an archived project again."""
    project = Project.objects.of(organization_id).get(pk=project_id)
    project.archived_at = None
    project.save(update_fields=["archived_at"])
    return project


def _refuse_taken(organization_id: int, name: str, project_id: int = 0) -> None:
    others = Project.objects.of(organization_id).exclude(pk=project_id)
    if others.filter(name=name).exists():
        raise ProjectExistsError(f"there is a project named {name[:80]!r} already")
