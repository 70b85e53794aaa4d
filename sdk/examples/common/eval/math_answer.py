"""The final answer of a text, and its value: exact numbers, choices and yes or no. Nothing else is understood.

An answer that is not understood is neither right nor wrong here: `NotUnderstood` says so, and why.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from common.eval.math_units import unit

LONGEST = 200
"""Characters of a final answer."""
_LARGEST_EXPONENT = 1_000
_BOXES = re.compile(r"\\(?:boxed|fbox)\s*")
_SAID = re.compile(r"(?:####|answer\s*(?:is\b|:|=)\s*:?)([^\n]+)", re.IGNORECASE)
_WRAPPERS = re.compile(r"\\(?:text|mathrm|textbf|mathbf|mbox)\s*\{([^{}]*)\}")
_SPACES = re.compile(r"\\[,;:! ]|\\quad|~|[\u00a0\u2009\u202f]")
_GROUPED = r"[0-9]{1,3}(?:,[0-9]{3})+"
_NUMBER = re.compile(rf"(?P<whole>{_GROUPED}|[0-9]+)?(?P<part>\.[0-9]+|\.(?=\Z))?(?:[eE](?P<exponent>[+-]?[0-9]+))?")
_TIMES_TEN = re.compile(
    r"(?:(?P<head>.*?)(?:\\times|\\cdot|\*|\u00d7))?10\^(?:\{(?P<braced>[+-]?[0-9]+)\}|(?P<bare>[+-]?[0-9]+))"
)
_FRACTION = re.compile(r"\\[dt]?frac(?:\{(?P<top>[^{}]*)\}|(?P<top1>[0-9]))(?:\{(?P<low>[^{}]*)\}|(?P<low1>[0-9]))")
_UNIT = re.compile(r"(?P<number>.*?[0-9}.])\s*(?P<unit>[A-Za-z°][^{}\\]*|\\?%)")
_CHOICE = re.compile(r"\(?([A-Ja-j])\)?\.?")
_WORDS = frozenset({"yes", "no", "true", "false"})
_CURRENCIES = ("\\$", "$", "€", "£")
_VARIABLE = re.compile(r"\A\s*[A-Za-z]\s*=\s*(?=\S)")
_AROUND = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
_DEGREES = re.compile(r"\^\s*(?:\{\s*\\circ\s*\}|\\circ)|\\degree")
_LOOSE = re.compile(r"(?<![0-9])\s+|\s+(?![0-9])")


class NotUnderstood(ValueError):
    """A text has no final answer that can be read, or its value is of a kind that is not known here."""


class Value(NamedTuple):
    """What an answer says."""

    number: Fraction | None
    """None: a word."""
    word: str = ""
    """A choice's letter in capitals, or yes, no, true, false."""
    percent: bool = False
    """The number is what stood before the percent sign."""
    unit: str = ""
    """As written, in small letters; empty where there is none."""


def final_answer(text: str) -> str:
    """What stands in the last box, else behind `####` or `answer is`, else the text itself where it is a single line.

    Raises NotUnderstood where there is none of these.
    """
    boxes = list(_BOXES.finditer(text))
    if boxes:
        return _boxed(text[boxes[-1].end() :])
    said = _SAID.findall(text)
    if said:
        return str(said[-1]).strip()
    whole = text.strip()
    if not whole or "\n" in whole or len(whole) > LONGEST:
        raise NotUnderstood("there is no final answer: no \\boxed{}, no ####, no 'answer is'")
    return whole


def plain(answer: str) -> str:
    """Without what changes only how an answer looks. Raises NotUnderstood where it is too long."""
    if len(answer) > LONGEST:
        raise NotUnderstood(f"the answer is longer than {LONGEST} characters")
    text = _ended(answer)
    for start, end in _AROUND:
        if text.startswith(start) and text.endswith(end) and len(text) > len(start) + len(end):
            text = _ended(text[len(start) : -len(end)])
    text = _SPACES.sub(" ", _WRAPPERS.sub(r"\1", text).replace("{,}", ","))
    for before, after in (("\u2212", "-"), ("\u2013", "-"), ("\\left", ""), ("\\right", ""), ("\\%", "%")):
        text = text.replace(before, after)
    text = _DEGREES.sub("°", text)
    return " ".join(_VARIABLE.sub("", text, count=1).split())


def same_text(one: str, other: str) -> bool:
    """Whether two plain texts are the same but for spaces; those between digits count: `1 1/2` is not `11/2`."""
    return bool(one) and _LOOSE.sub("", one) == _LOOSE.sub("", other)


def _ended(text: str) -> str:
    """Without the full stop of a sentence; dots that stand for more digits stay."""
    text = text.strip(" *\n\t")
    return text if text.endswith("..") else text.rstrip(".").rstrip()


def value(answer: str) -> Value:
    """Raises NotUnderstood."""
    text = plain(answer)
    if text.lower() in _WORDS:
        return Value(None, text.lower())
    choice = _CHOICE.fullmatch(text)
    if choice is not None:
        return Value(None, choice[1].upper())
    sign, text, currency = _signed(text)
    number = _number(text)
    if number is not None:
        return Value(sign * number, unit=currency)
    found = _UNIT.fullmatch(text)
    number = _number(found["number"].strip()) if found else None
    if found is None or number is None:
        raise NotUnderstood(f"{answer.strip()[:60]!r} is no number, choice, or yes or no that is read here")
    if found["unit"].strip().lower() in {"%", "percent"}:
        return Value(sign * number, percent=True)
    named = unit(found["unit"].strip())
    if named is None or (currency and currency != named):
        raise NotUnderstood(f"{found['unit']!r:.40} behind a number is not read here")
    return Value(sign * number, unit=named)


def _signed(text: str) -> tuple[int, str, str]:
    """The sign, what follows it, and a currency in front."""
    sign, currency = 1, ""
    if text[:1] in ("-", "+"):
        sign, text = (-1 if text[0] == "-" else 1), text[1:].lstrip()
    for one in _CURRENCIES:
        if text.startswith(one):
            currency, text = one.lstrip("\\"), text[len(one) :].lstrip()
            break
    if sign == 1 and currency and text[:1] == "-":
        sign, text = -1, text[1:].lstrip()
    return sign, text, currency


def _number(text: str) -> Fraction | None:
    """A number without a sign in front; None for anything else."""
    tens = _TIMES_TEN.fullmatch(text.replace(" ", ""))
    if tens is not None:
        head = Fraction(1) if tens["head"] is None else _decimal(tens["head"])
        return None if head is None else _scaled(head, int(tens["braced"] or tens["bare"]))
    fraction = _FRACTION.search(text)
    if fraction is not None:
        return _mixed(text[: fraction.start()].strip(), fraction) if fraction.end() == len(text) else None
    parts = re.fullmatch(r"(?:(?P<whole>[0-9]+) )?(?P<top>[^/ ]+) ?/ ?(?P<low>[^/ ]+)", text)
    if parts is not None:
        return _sum(parts["whole"], _quotient(parts["top"], parts["low"]))
    return _decimal(text)


def _mixed(whole: str, fraction: re.Match[str]) -> Fraction | None:
    return _sum(whole or None, _quotient(fraction["top"] or fraction["top1"], fraction["low"] or fraction["low1"]))


def _sum(whole: str | None, part: Fraction | None) -> Fraction | None:
    """A mixed number: its part is positive and below one."""
    if whole is None or part is None:
        return part
    if not (whole.isascii() and whole.isdigit() and 0 < part < 1):
        return None
    return int(whole) + part


def _quotient(top: str, low: str) -> Fraction | None:
    over, under = _with_sign(top), _with_sign(low)
    return None if over is None or not under else over / under


def _with_sign(text: str) -> Fraction | None:
    text = text.strip()
    inner = text[1:-1] if text[:1] == "(" and text[-1:] == ")" else text
    number = _decimal(inner[1:].strip() if inner[:1] == "-" else inner)
    return None if number is None else (-number if inner[:1] == "-" else number)


def _decimal(text: str) -> Fraction | None:
    found = _NUMBER.fullmatch(text)
    if found is None or (found["whole"] is None and not (found["part"] or "").strip(".")):
        return None
    whole = (found["whole"] or "0").replace(",", "")
    part = (found["part"] or "").strip(".")
    number = Fraction(int(whole + part), 10 ** len(part))
    return _scaled(number, int(found["exponent"] or 0))


def _scaled(number: Fraction, exponent: int) -> Fraction | None:
    return None if abs(exponent) > _LARGEST_EXPONENT else number * Fraction(10) ** exponent


def _boxed(text: str) -> str:
    """What stands between the braces that `text` begins with; without braces, its first word."""
    if not text.startswith("{"):
        found = re.match(r"[^\s$]+", text)
        if found is None:
            raise NotUnderstood("the last box is empty")
        return found[0]
    depth = 0
    for at, sign in enumerate(text):
        if sign in "{}" and text[at - 1 : at] != "\\":
            depth += 1 if sign == "{" else -1
        if depth == 0:
            if not text[1:at].strip():
                raise NotUnderstood("the last box is empty")
            return text[1:at]
    raise NotUnderstood("the last box is not closed")
