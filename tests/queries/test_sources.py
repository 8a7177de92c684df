"""A law: what is asked of days and hours is answered as single requests would answer it."""

from dataclasses import replace
from datetime import datetime, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from accounting.models import ApiKey, Project
from accounting.queries.choices import Choice
from accounting.queries.grammar import DIMENSIONS, RELATIONS
from accounting.queries.sources import sources_of
from accounting.queries.spend import usage_table
from tests.queries.asking import wanted
from tests.queries.posted import post, priced_organization
from tests.records import usage_record

#: Zones, and moments around which their clocks change, if they do; in Santiago at midnight.
WHERE = (
    ("UTC", "2026-02-28T23:30Z"),
    ("Asia/Kolkata", "2026-10-31T18:29Z"),
    ("Europe/Berlin", "2026-10-25T01:00Z"),
    ("America/New_York", "2026-03-08T07:00Z"),
    ("America/Santiago", "2026-04-05T03:00Z"),
    ("America/Santiago", "2026-09-06T04:00Z"),
)
#: What is asked for of each dimension; some of it is contained in others, and some in 'none'.
VALUES = {
    "model": ["opal", "jade", "a"],
    "provider": ["testing", "other", "t"],
    "project": ["default", "other", "e"],
    "key": ["", "ci", "laptop", "i"],
    "user": ["", "ann", "a"],
    "source": ["", "native", "t"],
    "status": ["ok", "error", "o"],
    "team": ["none", "red", "on", "e"],
    "agent": ["none", "red", "N"],
    "environment": ["none", "prod", "o"],
    "service_tier": ["none", "default", "e"],
    "cost_center": ["none", "R&D", "&"],
    "tag:env": ["none", "prod", "o"],
    "tag:app": ["none", "x", "n"],
}
NAMES = [*DIMENSIONS, "tag:env", "tag:app"]
#: True of every request here, and kept by no rollup.
NO_SESSION = Choice(name="session", relation="is_not", values=("no such one",))

requests = st.fixed_dictionaries(
    {
        "minutes": st.integers(-3 * 1_440, 3 * 1_440),
        "response_model": st.sampled_from(["opal", "jade", "ruby"]),
        "provider": st.sampled_from(["testing", "testing", "other"]),
        "source": st.sampled_from(["", "native"]),
        "status": st.sampled_from(["ok", "ok", "error", "pending"]),
        "purpose": st.sampled_from(["usage", "usage", "usage", "benchmark"]),
        "input_tokens": st.one_of(st.none(), st.integers(0, 10**7)),
        "output_tokens": st.integers(0, 10**6),
        "part": st.sampled_from([0, 0, 0, 1]),
        "service_tier": st.sampled_from(["", "default"]),
        "project": st.sampled_from([0, 1]),
        "key": st.sampled_from([None, 0, 1]),
        "place": st.fixed_dictionaries(
            {
                "user_id": st.sampled_from(["", "ann"]),
                "team": st.sampled_from(["", "red", "none"]),
                "agent": st.sampled_from(["", "red"]),
                "environment": st.sampled_from(["", "prod"]),
                "cost_center": st.sampled_from(["", "R&D"]),
                "tags": st.sampled_from(
                    [(), (("env", "prod"),), (("env", ""),), (("app", "x"), ("env", "none"))]
                ),
            }
        ),
    }
)
conditions = st.sampled_from(NAMES).flatmap(
    lambda name: st.tuples(
        st.sampled_from([name + mark for mark in RELATIONS]),
        st.lists(st.sampled_from(VALUES[name]), min_size=1, max_size=2, unique=True),
    )
)
cuts = st.fixed_dictionaries(
    {
        "cut": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
        "bucket": st.sampled_from(["", "day", "week", "month"]),
        "conditions": st.lists(conditions, max_size=3).map(dict),
        "hours": st.tuples(st.integers(0, 50), st.integers(0, 50)),
    }
)


def record_of(number, row, middle, projects, keys):
    row = dict(row)
    key = row.pop("key")
    return usage_record(
        f"r{number}",
        at=middle + timedelta(minutes=row.pop("minutes")),
        project_id=projects[row.pop("project")].pk,
        place={**row.pop("place"), "api_key_id": None if key is None else keys[key].pk},
        **row,
    )


def asked_of(organization, middle, cut):
    """Five days around a moment, less some hours at both ends."""
    day = middle.date()
    params = dict(zip(("group", "sub"), cut["cut"], strict=False)) | cut["conditions"]
    span = {"from": f"{day - timedelta(2)}", "to": f"{day + timedelta(3)}"}
    asked = wanted(organization, now=middle, bucket=cut["bucket"], **span, **params)
    first, last = (timedelta(hours=hours) for hours in cut["hours"])
    return replace(asked, starts_at=asked.starts_at + first, ends_at=asked.ends_at - last)


class Sources(TestCase):
    @settings(
        max_examples=20,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(
        st.sampled_from(WHERE),
        st.integers(0, 6),
        st.lists(requests, min_size=4, max_size=12),
        st.lists(cuts, min_size=4, max_size=8),
    )
    def test_sums_that_are_kept_answer_as_requests_do(self, where, week_start, rows, asked):
        zone, moment = where
        middle = datetime.fromisoformat(moment)
        organization = priced_organization(time_zone=zone, week_start=week_start)
        projects = [
            Project.objects.get(organization=organization, slug="default"),
            Project.objects.create(organization=organization, slug="other", name="Other"),
        ]
        keys = [
            ApiKey.objects.create(
                organization=organization, project=projects[0], name=name, digest=name.encode()
            )
            for name in ("ci", "laptop")
        ]
        post(
            organization,
            *(record_of(number, row, middle, projects, keys) for number, row in enumerate(rows)),
        )
        for cut in asked:
            kept = asked_of(organization, middle, cut)
            read = replace(kept, choices=(*kept.choices, NO_SESSION))
            assert all(part.is_ledger for part in sources_of(read, ()).parts)
            found, right = usage_table(kept), usage_table(read)
            assert (found.rows, found.totals) == (right.rows, right.totals), cut
