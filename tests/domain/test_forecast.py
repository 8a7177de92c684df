"""Projections by weekday and level: what can be worked out by hand, and laws."""

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.domain.forecast import Forecast, chance_above, run_rate
from accounting.domain.forecast_band import Kept, band_scale, needed, past_scores
from accounting.domain.forecast_level import deviation_of_sum, fitted, level_of, weekday_profile
from accounting.domain.forecast_period import Flow, projected

MONDAY = date(2026, 10, 5)


def flow(counts, days, price=1):
    return Flow(counts=counts, prices=[Fraction(price)] * days)


def project(*flows, over=0, today=0, first=MONDAY, **more):
    return projected(flows, first=first, over=Decimal(over), today=Decimal(today), **more)


def test_what_never_changes_goes_on_and_has_no_width():
    found = project(flow([10] * 28, 28), over=20)
    assert (found.low, found.expected, found.high) == (300, 300, 300)
    assert (found.method, found.history_days, found.reason) == ("weekday_level", 28, "")


def test_each_coming_day_has_its_own_price():
    prices = [Fraction(3)] * 10 + [Fraction(6)] * 11
    found = project(Flow(counts=[1] * 28, prices=prices), over=27)
    assert found.expected == 27 + 30 + 66


def test_kinds_of_tokens_add_up():
    found = project(flow([10] * 14, 5, Fraction(1, 2)), flow([100] * 14, 5, Fraction(1, 100)))
    assert found.expected == 5 * 5 + 5


def test_days_of_the_week_keep_their_share():
    # Eight weeks of ten on workdays: half a day of each weekday is taken to be like the mean,
    # 50/7, so that of 8.5 days a workday has 80 + 25/7 and a day of the weekend 25/7.
    profile = weekday_profile([10.0] * 5 + [0.0] * 2 + ([10.0] * 5 + [0.0] * 2) * 7, 0)
    workday, weekend = (80 + 25 / 7) / 8.5 / (50 / 7), (25 / 7) / 8.5 / (50 / 7)
    assert profile == pytest.approx([workday] * 5 + [weekend] * 2)


def test_days_of_nothing_have_equal_shares():
    assert weekday_profile([0.0] * 20, 3) == (1.0,) * 7


def test_shares_and_scores_are_the_same_in_every_unit():
    values = [10.0, 30.0, 20.0, 25.0, 5.0] * 6
    thousandths = [value / 1000 for value in values]
    assert weekday_profile(thousandths, 0) == pytest.approx(weekday_profile(values, 0))
    assert past_scores(thousandths, 0, 10) == pytest.approx(past_scores(values, 0, 10))


def test_what_was_never_off_has_no_scores():
    assert past_scores([10.0] * 28, 0, 3) == []


def test_the_profile_is_that_of_the_last_eight_weeks():
    old, new = [0.0, 99.0, 0.0, 0.0, 0.0, 0.0, 0.0], [7.0] * 7
    assert weekday_profile(old * 3 + new * 8, 0) == pytest.approx([1.0] * 7)


@pytest.mark.parametrize("weekday", range(7))
@pytest.mark.parametrize("days", [56, 59])
def test_the_first_days_weekday_says_which_share_is_whose(weekday, days):
    values = [20.0 if (weekday + n) % 7 == 2 else 10.0 for n in range(days)]
    profile = weekday_profile(values, weekday)
    assert max(profile) == profile[2] > 1.6
    fit = fitted(values, weekday)
    assert fit.shares(2, 8)[0] == fit.shares(2, 8)[7] == profile[2]
    # What repeats every week is no error, but for what the profile is drawn towards the mean.
    assert 0 < fit.deviation < 0.4


def test_the_first_week_has_no_errors():
    assert fitted([1.0, 5.0, 2.0, 9.0, 3.0, 7.0, 4.0], 0).deviation == 0


def test_a_day_counts_half_as_much_as_one_ten_days_later():
    early, late = [1.0] + [0.0] * 10, [0.0] * 10 + [1.0]
    shares = [1.0] * 11
    assert level_of(early, shares) / level_of(late, shares) == pytest.approx(0.5)


def test_one_day_alone_is_as_far_off_as_a_day_and_two_more_than_twice():
    fit = fitted([10.0, 20.0] * 20, 0)
    alone, both = deviation_of_sum(fit, [1.0]), deviation_of_sum(fit, [1.0, 1.0])
    # The first day's error moves the level of the second by 1 - 0.5 ** 0.1 = 0.06697 of it.
    doubt = fit.doubt
    assert alone == pytest.approx(fit.deviation * (1 + doubt) ** 0.5)
    assert both == pytest.approx(fit.deviation * (1.06697**2 + 1 + 4 * doubt) ** 0.5, rel=1e-5)


def test_the_share_that_is_promised_decides_what_was_needed():
    assert needed([0.1] * 7 + [1.2815515655446004] * 2) == 1.0
    assert needed([2 * 1.2815515655446004]) == 2.0
    assert needed([n * 1.2815515655446004 for n in range(9, 0, -1)]) == 8.0


def test_without_a_look_back_a_band_is_as_wide_as_is_usual():
    assert band_scale([1.0, 2.0] * 7, 0, 20) == 1.75


def test_looks_back_draw_the_scale_towards_what_they_needed():
    values = [10.0, 30.0, 20.0, 25.0, 5.0] * 20
    seen = past_scores(values, 0, 10)
    assert len(seen) == 100 - 10 - 14 + 1
    weight = 2 * 77 / 10
    assert band_scale(values, 0, 10) == pytest.approx(
        (6 * 1.75 + weight * needed(seen)) / (6 + weight)
    )


def test_stored_projections_speak_from_twelve_ended_periods_on():
    values, off = [1.0, 2.0] * 7, 3 * 1.2815515655446004
    assert band_scale(values, 0, 20, Kept(scores=(off,) * 11, periods=11)) == 1.75
    learnt = band_scale(values, 0, 20, Kept(scores=(off,) * 12, periods=12))
    assert learnt == pytest.approx((6 * 1.75 + 12 * 3) / 18)


def test_a_projection_is_worked_out_to_its_last_digit():
    # 24 days from a Wednesday on, then 5; worked out by another program from the method alone:
    # 110 are to come, give or take 1.28155 × 14.943 = 19.15.
    first = Flow(counts=[12, 7, 9, 11, 4, 0, 1] * 3 + [14, 6, 10], prices=[Fraction(2)] * 5)
    other = Flow(
        counts=[3, 5, 2, 8, 1, 1, 0] * 3 + [2, 6, 4],
        prices=[Fraction(3)] * 3 + [Fraction(5)] * 2,
    )
    kept = Kept(scores=(2.5,) * 12, periods=12)
    found = project(first, other, over=1000, first=MONDAY + timedelta(days=2), kept=kept)
    assert (found.low, found.expected, found.high) == (1090, 1110, 1130)
    assert found.deviation == Decimal("14.94")
    assert found.scale == pytest.approx(1.7921227921079)


def test_nothing_is_projected_below_what_is_spent():
    found = project(flow([10, 2] * 10, 1), over=500, today=900)
    assert (found.low, found.expected) == (1400, 1400)
    assert found.high > 1400


def test_today_counts_as_a_whole_day_until_it_is_more():
    assert project(flow([10] * 14, 3), today=4).expected == 30
    assert project(flow([10] * 14, 3), today=25).expected == 45


def test_four_digits_and_the_band_outwards():
    found = project(flow([123_456, 133_333] * 14, 10))
    assert all(
        len(end.as_tuple().digits) <= 7 and end % 1000 == 0
        for end in (found.low, found.expected, found.high)
    )
    assert found.low < found.expected < found.high


def test_a_series_of_nothing_goes_on_as_nothing():
    found = project(flow([0] * 20, 9))
    assert (found.low, found.expected, found.high) == (0, 0, 0)


def test_how_likely_a_limit_is_passed():
    found = Forecast(
        method="weekday_level",
        history_days=28,
        expected=Decimal(100),
        low=Decimal(87),
        high=Decimal(113),
        deviation=Decimal(10),
    )
    spent = Decimal(50)
    assert chance_above(found, Decimal(100), spent=spent) == 0.5
    assert chance_above(found, Decimal(110), spent=spent) == pytest.approx(0.158655, rel=1e-4)
    assert chance_above(found, Decimal("87.184484"), spent=spent) == pytest.approx(0.9, rel=1e-4)
    assert chance_above(found, Decimal(49), spent=spent) == 1.0


def test_a_run_rate_says_why_it_has_no_band_or_is_none():
    rate = run_rate([Decimal(10), Decimal(5)], spent=Decimal(15), days_left=4)
    assert rate == Forecast(
        method="run_rate", history_days=2, expected=Decimal(45), reason="run_rate_has_no_band"
    )
    nothing = run_rate([], spent=Decimal(15), days_left=4)
    assert nothing == Forecast(method="run_rate", history_days=0, reason="not_enough_data")


def test_a_run_rate_is_exact_to_its_last_digit():
    whole = Decimal("123456789.123456")  # more digits of 10**-12 than a binary fraction holds
    assert run_rate([whole], spent=whole, days_left=2).expected == Decimal("370370367.370368")


def test_a_limit_is_not_passed_by_spending_just_as_much():
    rate = run_rate([Decimal(10)], spent=Decimal(10), days_left=29)
    assert chance_above(rate, Decimal(10), spent=Decimal(10)) is None


def test_without_a_band_nobody_knows_how_likely_a_limit_is_passed():
    rate = run_rate([Decimal(10)], spent=Decimal(10), days_left=29)
    assert chance_above(rate, Decimal(100), spent=Decimal(10)) is None
    assert chance_above(rate, Decimal(9), spent=Decimal(10)) == 1.0
    certain = project(flow([10] * 28, 28))
    assert chance_above(certain, Decimal(279), spent=Decimal(0)) == 1.0
    assert chance_above(certain, Decimal(280), spent=Decimal(0)) == 0.0


@given(
    counts=st.lists(st.integers(0, 10**12), min_size=14, max_size=40),
    days=st.integers(1, 40),
    over=st.decimals(0, 10**6, places=12),
    today=st.decimals(0, 10**6, places=12),
    weekday=st.integers(0, 6),
)
def test_any_history_gives_a_band_around_the_expected_and_above_what_is_spent(
    counts, days, over, today, weekday
):
    found = projected(
        [flow(counts, days, Fraction(3, 10**6))],
        first=MONDAY + timedelta(days=weekday),
        over=over,
        today=today,
    )
    assert over + today <= found.low <= found.expected <= found.high


@given(
    one=st.lists(st.integers(0, 10**9), min_size=21, max_size=21),
    other=st.lists(st.integers(0, 10**9), min_size=21, max_size=21),
)
def test_the_levels_of_parts_add_up_to_the_level_of_the_whole(one, other):
    shares = weekday_profile([a + b + 1.0 for a, b in zip(one, other, strict=True)], 0) * 3
    whole = level_of([a + b for a, b in zip(one, other, strict=True)], shares)
    assert level_of(one, shares) + level_of(other, shares) == pytest.approx(whole)
