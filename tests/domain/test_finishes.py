"""How answers ended, and turns that lost what was said before."""

import pytest

from accounting.domain.finishes import is_context_cut, is_continuation, is_cut_by_length


@pytest.mark.parametrize(
    ("reason", "cut"),
    [
        ("length", True),
        ("MAX_TOKENS", True),
        ("max_output_tokens", True),
        ("model_context_window_exceeded", True),
        ("stop,length", True),
        ("stop", False),
        ("tool_calls,stop", False),
        ("lengthy", False),
        ("", False),
    ],
)
def test_an_answer_is_cut_where_one_of_its_reasons_says_so(reason, cut):
    assert is_cut_by_length(reason) is cut


@pytest.mark.parametrize(
    ("sent", "before", "cut"),
    [
        (69, 100, True),
        (70, 100, False),
        (699, 1_000, True),
        (0, 1, True),
        (0, 0, False),
        (5, None, False),
        (None, 5, False),
        (None, None, False),
    ],
)
def test_a_turn_that_sends_less_than_seven_tenths_of_the_one_before_lost_context(sent, before, cut):
    assert is_context_cut(sent, before) is cut


@pytest.mark.parametrize(
    ("sent", "before", "answered", "goes_on"),
    [
        (150, 100, 50, True),
        (149, 100, 50, False),
        (None, 100, 50, False),
        (150, None, 50, False),
        (150, 100, None, False),
    ],
)
def test_a_turn_goes_on_that_sends_all_that_was_sent_and_answered(sent, before, answered, goes_on):
    assert is_continuation(sent, before, answered) is goes_on
