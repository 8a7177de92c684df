"""How much each source tells of what was used."""

from fractions import Fraction

import pytest

from accounting.queries.coverage import SourceCoverage, usage_coverage
from tests.factories import OrganizationFactory
from tests.queries.asking import wanted
from tests.queries.posted import posted, priced_organization

pytestmark = pytest.mark.django_db


def test_the_share_of_requests_without_usage_by_source(django_assert_num_queries):
    organization = priced_organization()
    missing = {"usage_state": "missing", "input_tokens": None, "output_tokens": None}
    posted(
        organization,
        {"source": "envoy", **missing},
        {"source": "envoy", "usage_state": "partial", "output_tokens": None},
        {"source": "envoy"},
        {"source": "envoy", **missing, "status": "error"},
        {"source": "envoy", **missing, "part": 1},
        {"source": "native", "usage_state": "estimated"},
    )
    with django_assert_num_queries(1):
        envoy, native = usage_coverage(wanted(organization))
    assert envoy == SourceCoverage(
        source="envoy", answered=3, reported=1, estimated=0, partial=1, missing=1
    )
    assert (envoy.missing_share, native.missing_share) == (Fraction(1, 3), 0)
    assert usage_coverage(wanted(organization, source="other")) == ()
    assert usage_coverage(wanted(OrganizationFactory())) == ()
