"""Addresses of pages that people keep under a name."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from accounting.models.scoping import Scoped
from accounting.models.tenants import Organization

LONGEST_NAME = 120
LONGEST_QUERY = 4_000


class SavedView(Scoped):
    """A page as somebody likes to look at it: its name in the URL configuration, and its parameters.

    is_shared: everybody of the organization finds it; else only whoever saved it.
    """

    organization = models.ForeignKey(Organization, models.PROTECT)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    name = models.CharField(max_length=LONGEST_NAME)
    page = models.CharField(max_length=40)
    query = models.CharField(max_length=LONGEST_QUERY, blank=True, default="")
    is_shared = models.BooleanField(default=False, db_default=False)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "user", "name"], name="savedview_name_is_the_persons_own"
            )
        ]

    def __str__(self) -> str:
        return self.name
