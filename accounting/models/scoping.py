"""How tenant tables are read: through their organization, never without it."""

from typing import Self

from django.db import models


class ScopedQuerySet[M: models.Model](models.QuerySet[M]):
    """Rows of a tenant table."""

    def of(self, organization_id: int) -> Self:
        """Only one organization's rows: where every read of a tenant table begins."""
        return self.filter(organization_id=organization_id)


class Scoped(models.Model):
    """A table whose rows belong to one organization."""

    objects = ScopedQuerySet.as_manager()

    class Meta:
        abstract = True
