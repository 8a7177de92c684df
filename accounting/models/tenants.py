"""Who keeps books here: organizations, their projects, people, keys and sign-in links."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from accounting.models.scoping import Scoped

ROLES = ("owner", "analyst", "finance", "viewer")
SCOPES = ("ingest", "read", "admin")


class Organization(models.Model):
    """One set of books, with one reporting time zone and one currency.

    configured_at: when somebody chose zone and currency; until then both are preset guesses.
    week_start: the weekday on which weeks begin, Monday is 0.
    """

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    time_zone = models.CharField(max_length=64, default="UTC")
    currency = models.CharField(max_length=3, default="USD")
    credit_kind = models.CharField(max_length=40, default="credit")
    week_start = models.SmallIntegerField(default=0, db_default=0)
    configured_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(week_start__range=(0, 6)),
                name="organization_weeks_begin_on_a_weekday",
            )
        ]

    def __str__(self) -> str:
        return self.name


class Project(Scoped):
    """What usage is charged to; archived, never deleted."""

    organization = models.ForeignKey(Organization, models.PROTECT)
    slug = models.SlugField(max_length=80)
    name = models.CharField(max_length=200)
    cost_center = models.CharField(max_length=80, blank=True, default="")
    archived_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "slug"], name="project_slug_is_unique")
        ]

    def __str__(self) -> str:
        return self.name


class AttributionRule(Scoped):
    """Which project usage is charged to that names none; the first rule in order that fits decides.

    Every condition that is set must hold, and at least one is: see accounting.domain.attribution.
    """

    organization = models.ForeignKey(Organization, models.PROTECT)
    position = models.IntegerField()
    project = models.ForeignKey(Project, models.PROTECT)
    api_key_name = models.CharField(max_length=200, blank=True, default="")
    user_id = models.CharField(max_length=200, blank=True, default="")
    team = models.CharField(max_length=200, blank=True, default="")
    tag = models.CharField(max_length=200, blank=True, default="")
    tag_value = models.CharField(max_length=200, blank=True, default="")
    working_folder = models.CharField(max_length=1000, blank=True, default="")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            # Deferred, so that rules can change places.
            models.UniqueConstraint(
                fields=["organization", "position"],
                name="attributionrule_has_its_own_place",
                deferrable=models.Deferrable.DEFERRED,
            ),
            models.CheckConstraint(
                condition=~models.Q(
                    api_key_name="", user_id="", team="", tag="", working_folder=""
                ),
                name="attributionrule_asks_something",
            ),
        ]

    def __str__(self) -> str:
        return f"rule {self.position}"


class Membership(Scoped):
    """What a person may do in an organization."""

    organization = models.ForeignKey(Organization, models.PROTECT)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    role = models.CharField(max_length=20, choices=[(role, role) for role in ROLES])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "user"], name="member_joins_once")
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.role}"


class ApiKey(Scoped):
    """A program's key. Only its digest is kept; the key itself is shown once.

    prefix: the first characters, by which people tell keys apart. scopes: of SCOPES. project: what its
    pushes are charged to that nothing else attributes. is_limited: to that project; then it reads the
    project's usage alone, and whatever it pushes is charged there.
    """

    organization = models.ForeignKey(Organization, models.PROTECT)
    project = models.ForeignKey(Project, models.PROTECT)
    name = models.CharField(max_length=200)
    prefix = models.CharField(max_length=16)
    digest = models.BinaryField(max_length=32, unique=True)
    scopes = models.JSONField(default=list)
    is_limited = models.BooleanField(default=False, db_default=False)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "name"], name="apikey_name_is_unique")
        ]

    def __str__(self) -> str:
        return self.name


class SignInLink(models.Model):
    """A link that signs its holder in once: printed at start, never mailed."""

    digest = models.BinaryField(max_length=32, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"sign-in of {self.user_id}"
