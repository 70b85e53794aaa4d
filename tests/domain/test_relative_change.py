import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.rules.relative_change import relative_change

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("first", "last", "change"),
    [(2.0, 1.0, 0.5), (1.0, 2.0, 0.5), (0.0, 7.0, 1.0), (7.0, 0.0, 1.0), (-1.0, 1.0, 2.0), (3.0, 3.0, 0.0), (0, 0, 0)],
)
def test_the_change_is_told_against_the_greater_of_first_and_last(first, last, change):
    assert relative_change(first, last, 2) == change


@pytest.mark.parametrize(("first", "last", "count"), [(1.0, 1.0, 1), (None, None, 0)])
def test_below_two_steps_the_change_is_unknown_and_not_zero(first, last, count):
    assert relative_change(first, last, count) is None


@given(first=NUMBERS, last=NUMBERS)
def test_any_two_numbers_have_a_change_whatever_their_order_and_unit(first, last):
    change = relative_change(first, last, 2)
    assert change is not None
    assert 0 <= change <= 2
    assert change == relative_change(last, first, 2)
    assert math.isfinite(change)
