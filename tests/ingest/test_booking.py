"""How much of a log is held in memory before it is booked."""

import pytest

from ingest.services import booking
from ingest.services.outcomes import Outcomes


@pytest.mark.parametrize("held", ["tellings", "reports", "refused"])
def test_whatever_records_come_to_is_booked_by_its_number(held):
    few, many = Outcomes(), Outcomes()
    getattr(few, held).extend([None] * (booking.BOOK_RECORDS - 1))
    getattr(many, held).extend([None] * booking.BOOK_RECORDS)

    assert not booking.is_enough(0, few)
    assert booking.is_enough(0, many)


def test_long_records_are_booked_by_their_size():
    assert booking.is_enough(booking.BOOK_BYTES, Outcomes())
    assert not booking.is_enough(booking.BOOK_BYTES - 1, Outcomes())
