"""Who may do what."""

import pytest

from accounting.domain.roles import MAY, PUSHING, READING, allows, may


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("owner", {"data", "prices", "months", "keys", "settings"}),
        ("analyst", {"data", "prices", "keys", "settings"}),
        ("finance", {"data", "prices", "months", "settings"}),
        ("viewer", set()),
        ("", set()),
    ],
)
def test_a_role_may_change_what_is_its_business(role, allowed):
    assert {what for what in MAY if may(role, what)} == allowed


@pytest.mark.parametrize(
    ("scopes", "reads", "pushes"),
    [
        ([], False, False),
        (["read"], True, False),
        (["admin"], True, False),
        (["ingest"], False, True),
        (["ingest", "read"], True, True),
        (["else"], False, False),
    ],
)
def test_a_key_opens_the_doors_that_its_scopes_name(scopes, reads, pushes):
    assert (allows(scopes, READING), allows(scopes, PUSHING)) == (reads, pushes)
