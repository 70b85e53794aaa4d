"""What the math verifier takes for right, for wrong, and for neither."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.eval.math_answer import NotUnderstood, final_answer, value
from common.eval.math_verifier import verify

RIGHT = [
    (r"\boxed{42}", "42"),
    (r"First \boxed{1}, then \boxed{2}.", "2"),
    (r"So it is $\boxed{\frac{3}{4}}$.", "0.75"),
    (r"\boxed{\dfrac34}", "3/4"),
    (r"\boxed{\frac{-1}{2}}", "-0.5"),
    (r"\boxed{-\frac{1}{2}}", r"\frac{1}{-2}"),
    (r"\boxed{1\frac{1}{2}}", "3/2"),
    ("1 1/2", "1.5"),
    ("The answer is 1,234.50.", "1234.5"),
    ("The final answer is: $-7$", "-7"),
    ("**Answer:** **12**", "12"),
    ("Some thoughts.\n#### 1,000", "He pays 500 twice.\n#### 1000"),
    (r"\boxed{1{,}234{,}567}", "1234567"),
    (r"\boxed{50\%}", "0.5"),
    ("50 percent", "50%"),
    ("0%", "0"),
    (r"\boxed{\$5.00}", "5"),
    ("$5", "5 dollars"),
    ("-$5", "-5"),
    (r"\boxed{5\text{ cm}}", "5"),
    ("12 apples", "12"),
    ("12 apple", "12 apples"),
    (r"\boxed{30^\circ}", "30 degrees"),
    ("x = 5", "5"),
    ("\u22125", "-5"),
    (".5", "1/2"),
    ("5.", "5"),
    ("+3", "3"),
    (r"1.5\times 10^{3}", "1500"),
    ("10^{-2}", "0.01"),
    ("1e3", "1000"),
    (r"\boxed{\text{(B)}}", "B"),
    ("b", "(B)"),
    ("Yes.", "yes"),
    (r"\boxed{\left(x + 1\right)}", "(x+1)"),
    (r"\boxed{2\sqrt{3}}", r"2\sqrt{3}"),
    (r"\boxed 7", "7"),
    ("007", "7"),
]
WRONG = [
    (r"\boxed{41}", "42"),
    ("0.33", "1/3"),
    ("1/3", "0.3333333333"),
    ("50%", "7"),
    ("0.5%", "50"),
    (r"\boxed{5\text{ cm}}", "6"),
    ("-5", "5"),
    ("A", "B"),
    ("no", "yes"),
    ("1 1/2", "11/2"),
    ("11/2", "1 1/2"),
    ("1,234", "1.234"),
    ("", "5"),
    (" \n ", "5"),
]
NEITHER = [
    ("I am not sure.", "5"),
    ("It could be 5\nor it could be 6", "5"),
    (r"\boxed{5", "5"),
    (r"\boxed{}", "5"),
    (r"\boxed{1+x}", "x+1"),
    ("5x", "5"),
    ("5 x", "5"),
    ("5pi", "5"),
    ("5 or 6", "5"),
    ("The answer is 5 and 6", "5"),
    ("5 million", "5"),
    ("3 fourths", "3"),
    ("5 squared", "5"),
    ("5 trillion", "5"),
    ("3 tenths", "3"),
    ("2**3", "23"),
    ("4 thousandths of a mile", "4"),
    ("3,14", "3.14"),
    ("1,23", "123"),
    ("1.234.567", "1234567"),
    ("(1,234)", "1234"),
    ("0.333...", "0.333"),
    (r"0.\overline{3}", "1/3"),
    ("50", "50%"),
    ("50%", "50"),
    ("5 m", "5"),
    ("5 meters", "5 feet"),
    ("$5", "5 cents"),
    ("5", "B"),
    ("yes", "true"),
    ("1/0", "5"),
    (r"\frac{1}{0}", "5"),
    ("1 3/2", "5/2"),
    ("1 -1/2", "1/2"),
    ("10^{99999}", "5"),
    ("1e99999999999", "5"),
    ("9" * 201, "5"),
    ("\u0665", "5"),
    (r"\pi", "3.14"),
    ("five", "5"),
    ("--5", "5"),
    ("", r"\sqrt{2}" * 50)[::-1],
]


@pytest.mark.parametrize(("completion", "expected"), RIGHT)
def test_an_answer_of_the_same_value_is_right(completion, expected):
    assert verify(completion, expected) is True


@pytest.mark.parametrize(("completion", "expected"), WRONG)
def test_an_answer_of_another_value_is_wrong(completion, expected):
    assert verify(completion, expected) is False


@pytest.mark.parametrize(("completion", "expected"), NEITHER)
def test_what_is_not_understood_is_neither_right_nor_wrong(completion, expected):
    with pytest.raises(NotUnderstood):
        verify(completion, expected)


def test_an_expected_answer_that_is_not_understood_is_said_to_be_that_one():
    with pytest.raises(NotUnderstood, match="the expected answer: "):
        verify("5", "x+1")


numbers = st.fractions(max_denominator=1000)


@given(numbers, numbers)
def test_fractions_are_right_exactly_where_they_are_equal(one, other):
    for shown in (f"{one}", rf"\boxed{{\frac{{{one.numerator}}}{{{one.denominator}}}}}"):
        assert verify(shown, str(other)) is (one == other)


@given(st.integers(-(10**12), 10**12), st.integers(0, 9999))
def test_thousands_separators_and_decimals_change_no_value(whole, part):
    sign = "-" if whole < 0 else ""
    grouped = f"{sign}{abs(whole):,}.{part:04}"
    expected = (abs(whole) + Fraction(part, 10_000)) * (-1 if whole < 0 else 1)
    assert value(grouped).number == value(grouped.replace(",", "")).number == expected


@given(st.text(r"0123456789.,-+/%$\{}() ebxfracotdmsqANS^=#", max_size=60))
def test_no_text_makes_the_verifier_fail_otherwise(text):
    with contextlib.suppress(NotUnderstood):
        assert verify(text, "5") in {True, False}


def test_a_long_completion_takes_no_longer_than_reading_it():
    for text in ("answer is" + " " * 200_000, "answer " * 50_000, r"\boxed{" * 50_000, "{" * 200_000):
        with pytest.raises(NotUnderstood):
            verify(text + "x\ny", "5")


def test_the_answer_is_what_stands_in_the_last_box_with_its_own_braces():
    assert final_answer(r"\boxed{a} and \fbox{\frac{1}{2}} end") == r"\frac{1}{2}"
