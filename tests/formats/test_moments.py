"""Moments in every spelling a log uses."""

from datetime import UTC, datetime, timedelta

import pytest

from ingest.formats.base import RejectedError
from ingest.formats.moments import elapsed_ms, moment

MORNING = datetime(2026, 4, 7, 8, 0, 0, 250_000, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        1775548800.25,
        1775548800250,
        1775548800250000,
        1775548800250000000,
        "1775548800.250",
        "2026-04-07T08:00:00.25Z",
        "2026-04-07T08:00:00.250000999Z",
        "2026-04-07 10:00:00,250+02:00",
        "2026-04-07 08:00:00.25+00",
        "2026-04-07 08:00:00.25 UTC",
        "2026-04-07T02:30:00.25-0530",
    ],
)
def test_one_moment_in_many_spellings(written):
    assert moment(written, "at") == MORNING


def test_a_text_without_offset_is_utc_only_where_the_format_says_so():
    assert moment("2026-04-07 08:00:00.25", "at", naive_is_utc=True) == MORNING
    with pytest.raises(RejectedError, match="no offset"):
        moment("2026-04-07 08:00:00.25", "at")


@pytest.mark.parametrize("written", [0, -1, 5, 10**11, 10**20, True, "", None, "yesterday"])
def test_what_is_no_moment_is_rejected_or_unknown(written):
    if written in ("", None):
        assert moment(written, "at") is None
        return
    with pytest.raises(RejectedError) as error:
        moment(written, "at")
    assert error.value.code == "bad_time"


def test_a_clock_that_ran_backwards_tells_no_duration():
    assert elapsed_ms(MORNING, MORNING + timedelta(seconds=1.5)) == 1500.0
    assert elapsed_ms(MORNING, MORNING - timedelta(seconds=1)) is None
    assert elapsed_ms(None, MORNING) is None
