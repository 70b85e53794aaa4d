r"""Whether a completion's final answer is the expected one: yes, no, or not understood.

A careful checker, not a clever one. Numbers are compared exactly: 0.5, 1/2, \frac12 and 50% are one value, 0.33 is not
1/3. A unit or a currency that one side alone names is passed over. Anything it does not understand, an expression with
x or \sqrt in it for instance, is right where both texts are the same and raises `NotUnderstood` otherwise; so a model
is never said to be wrong because this file knows too little.
"""

from __future__ import annotations

from fractions import Fraction

from common.eval.math_answer import NotUnderstood, Value, final_answer, plain, same_text, value

__all__ = ["NotUnderstood", "verify"]
_HUNDRED = Fraction(100)


def verify(completion: str, expected: str) -> bool:
    """Whether the final answer of `completion` is `expected`. Raises NotUnderstood."""
    if not completion.strip():
        return False  # nothing was answered, and that is understood
    given, wanted = final_answer(completion), final_answer(expected)
    if _same_text(given, wanted):
        return True
    right = _read("the expected answer", wanted)
    answer = _read("the answer", given)
    if answer.number is None or right.number is None:
        return _same_words(answer, right)
    if answer.percent != right.percent:
        return _part_of_hundred(answer.number, right.number, answer_is_percent=answer.percent)
    if answer.unit and right.unit and answer.unit != right.unit:
        raise NotUnderstood(f"the units {answer.unit!r:.40} and {right.unit!r:.40} differ")
    return answer.number == right.number


def _same_text(given: str, wanted: str) -> bool:
    try:
        return same_text(plain(given), plain(wanted))
    except NotUnderstood:
        return False


def _read(which: str, text: str) -> Value:
    try:
        return value(text)
    except NotUnderstood as problem:
        raise NotUnderstood(f"{which}: {problem}") from None


def _same_words(answer: Value, right: Value) -> bool:
    kinds = [_kind(one) for one in (answer, right)]
    if kinds[0] != kinds[1]:
        raise NotUnderstood(f"the answer is {kinds[0]} and the expected one is {kinds[1]}")
    return answer.word == right.word


def _kind(one: Value) -> str:
    if one.number is not None:
        return "a number"
    return "a choice" if len(one.word) == 1 else "true or false" if one.word in {"true", "false"} else "yes or no"


def _part_of_hundred(answer: Fraction, right: Fraction, *, answer_is_percent: bool) -> bool:
    """One side has a percent sign: 50% is 0.5, and whether a bare 50 means 50% nobody says."""
    if answer == right and answer != 0:
        raise NotUnderstood("one side has a percent sign, and the other the same number without one")
    percent, bare = (answer, right) if answer_is_percent else (right, answer)
    return percent / _HUNDRED == bare
