"""An organization with prices, and a key that asks for it."""

import pytest

from tests.api.asking import asker
from tests.queries.posted import priced_organization


@pytest.fixture
def priced(db):
    """opal at 0.5 in, 0.1 cached, 0.075 out, jade at 3, 0.3, 3.75 written, 15 out; Asia/Kolkata."""
    return priced_organization(time_zone="Asia/Kolkata")


@pytest.fixture
def asks(client, priced):
    return asker(client, priced)
