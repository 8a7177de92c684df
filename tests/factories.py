"""Rows for tests: an organization, its members, and rollup rows where no event is needed."""

from datetime import datetime
from decimal import Decimal

import factory
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Max, Min, Sum
from factory.django import DjangoModelFactory

from accounting.models import (
    Import,
    Membership,
    Organization,
    Project,
    Rejection,
    SessionTotal,
    SessionWhole,
    UsageHour,
)
from accounting.models.addends import ADDENDS
from accounting.models.rollups import SUMMED_COUNTS
from accounting.queries.grammar import ATTRIBUTES
from accounting.services.tenants import create_api_key


class OrganizationFactory(DjangoModelFactory):
    class Meta:
        model = Organization

    slug = factory.Sequence(lambda n: f"organization-{n}")
    name = factory.Sequence(lambda n: f"Organization {n}")
    configured_at = datetime.fromisoformat("2026-01-01T00:00Z")


class ProjectFactory(DjangoModelFactory):
    class Meta:
        model = Project

    organization = factory.SubFactory(OrganizationFactory)
    slug = factory.Sequence(lambda n: f"project-{n}")
    name = factory.Sequence(lambda n: f"Project {n}")


class UserFactory(DjangoModelFactory):
    class Meta:
        model = User

    username = factory.Sequence(lambda n: f"person-{n}")


class MembershipFactory(DjangoModelFactory):
    class Meta:
        model = Membership

    organization = factory.SubFactory(OrganizationFactory)
    user = factory.SubFactory(UserFactory)
    role = "viewer"


class ImportFactory(DjangoModelFactory):
    class Meta:
        model = Import

    organization = factory.SubFactory(OrganizationFactory)
    door = "push"
    name = "usage.jsonl"
    state = "done"


class RejectionFactory(DjangoModelFactory):
    class Meta:
        model = Rejection

    organization = factory.SelfAttribute("source_import.organization")
    source_import = factory.SubFactory(ImportFactory)
    line = factory.Sequence(lambda n: n + 1)
    code = "bad_count"
    reason = "input_tokens = -1"


def _known(name):
    return factory.LazyAttribute(lambda row: int(getattr(row, name) > 0))


class SumsFactory(DjangoModelFactory):
    """A token kind above 0 is known; give known_… = 1 for a known 0."""

    class Meta:
        abstract = True

    organization = factory.SubFactory(OrganizationFactory)
    purpose = "usage"
    currency = "USD"
    parts = 1
    requests = 1
    cost = Decimal(0)
    cost_base = factory.SelfAttribute("cost")
    cost_input = factory.SelfAttribute("cost")
    cache_known_input_tokens = factory.LazyAttribute(
        lambda row: row.input_tokens if row.known_cache_read_input_tokens else 0
    )
    cache_known_read_tokens = factory.SelfAttribute("cache_read_input_tokens")


for _name in SUMMED_COUNTS:
    SumsFactory._meta.base_declarations[_name] = 0
    SumsFactory._meta.base_declarations[f"known_{_name}"] = _known(_name)


_OF_A_DAY = ("organization_id", "purpose", "status", "currency")
_OF_A_MODEL = (*_OF_A_DAY, "provider", "model")
_OF_A_CELL = (*_OF_A_MODEL, "project_id", "source", "user_id")
_DAY = "(hour AT TIME ZONE %(zone)s)::date"
#: The sums of days that hold an hour's -> their keys as SQL, and what the hour is joined with.
_DAYS = {
    "usageday": (
        {**{name: name for name in (*_OF_A_MODEL, "project_id", "source")}, "day": _DAY},
        "",
    ),
    "usagedaycaller": (
        {**{name: name for name in _OF_A_DAY}, "day": _DAY,
         "caller": "c.caller", "user_id": "c.by_user", "api_key_id": "c.by_key",
         "project_id": "c.by_project"},
        """CROSS JOIN LATERAL (
            VALUES ('user', user_id, 0, 0), ('key', '', coalesce(api_key_id, 0), 0),
                   ('project', '', 0, project_id)
        ) AS c (caller, by_user, by_key, by_project)""",
    ),
    "usagedaycell": (
        {**{name: name for name in _OF_A_CELL}, "day": _DAY,
         "api_key_id": "coalesce(api_key_id, 0)", "tags": "'{}'",
         **dict.fromkeys(ATTRIBUTES, "''"),
         "cell": f"substring(sha256(ROW({', '.join(_OF_A_CELL)}, api_key_id)::text::bytea) for 16)"},
        "",
    ),
    "usagedayattribute": (
        {**{name: name for name in _OF_A_MODEL}, "day": _DAY,
         "attribute": "a.attribute", "value": "'none'"},
        f"CROSS JOIN unnest(ARRAY{[*ATTRIBUTES]}) AS a (attribute)",
    ),
}  # fmt: skip


def _added(name):
    """The statement that adds an hour to the sums of its day."""
    keys, joined = _DAYS[name]
    table = f"accounting_{name}"
    sums = ", ".join(ADDENDS)
    more = ", ".join(f"{one} = {table}.{one} + excluded.{one}" for one in ADDENDS)
    return f"""
        INSERT INTO {table} ({", ".join(keys)}, {sums})
        SELECT {", ".join(keys.values())}, {sums} FROM accounting_usagehour {joined}
        WHERE id = %(hour)s
        ON CONFLICT ON CONSTRAINT {name}_is_summed_once DO UPDATE SET {more}
    """


class UsageHourFactory(SumsFactory):
    class Meta:
        model = UsageHour

    hour = datetime.fromisoformat("2026-10-01T12:00Z")
    status = "ok"
    provider = "anthropic"
    model = "claude"
    source = "claude_code"
    project_id = factory.LazyAttribute(lambda row: ProjectFactory(organization=row.organization).pk)

    @classmethod
    def _create(cls, model_class, *args, **kwargs):
        """The hour, and its days, which hold the sums of all its hours."""
        hour = super()._create(model_class, *args, **kwargs)
        given = {"hour": hour.pk, "zone": hour.organization.time_zone}
        with connection.cursor() as cursor:
            for name in _DAYS:
                cursor.execute(_added(name), given)
        return hour


class SessionTotalFactory(SumsFactory):
    class Meta:
        model = SessionTotal

    session_id = factory.Sequence(lambda n: f"session-{n}")
    started_at = datetime.fromisoformat("2026-10-01T12:00Z")
    ended_at = factory.SelfAttribute("started_at")

    @classmethod
    def _create(cls, model_class, *args, **kwargs):
        """The session in its currency, and the whole of it over all of them, as posting keeps it."""
        total = super()._create(model_class, *args, **kwargs)
        whole = {name: getattr(total, name) for name in ("organization", "session_id", "purpose")}
        names = ("parts", "requests", "input_tokens", "known_input_tokens", "output_tokens",
                 "cache_read_input_tokens", "cost_base")  # fmt: skip
        sums = {name: Sum(name) for name in names}
        found = SessionTotal.objects.filter(**whole).aggregate(
            started_at=Min("started_at"), ended_at=Max("ended_at"), **sums
        )
        SessionWhole.objects.update_or_create(**whole, defaults=found)
        return total


def api_key(organization, scopes=("read",), name="key", **more):
    """The text of a new key of the organization, with a project of its own."""
    project = ProjectFactory(organization=organization)
    return create_api_key(
        organization_id=organization.pk,
        project_id=project.pk,
        name=name,
        scopes=list(scopes),
        **more,
    )
