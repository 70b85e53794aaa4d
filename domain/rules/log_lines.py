r"""Pieces of what a job printed, as the lines a person reads. The original text is kept beside them, untouched.

A piece may end anywhere: in a line, in an escape sequence, between `\r` and `\n`. On a line only the last non-empty
text between `\r`s is shown, as a terminal does with progress bars. Source: RULINGS "Logs", API "logs".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec
from tuneplane.contract import TRUNCATED_MARK

from domain.ids import Micros

LINE_CHARS = 16_384
"""Of a line as shown; what is cut off is marked."""
_ESCAPE_CHARS = 4096
_ESCAPE = re.compile(
    r"\x1b(?:"
    rf"[\]PX^_][^\x07\x1b]{{0,{_ESCAPE_CHARS - 4}}}(?:\x07|\x1b\\)"  # OSC and other strings: titles, links
    r"|\[[0-?]{0,256}[ -/]{0,16}[@-~]?"  # CSI: colours, cursor
    r"|[ -/]{0,16}[0-~]?"  # all others; what starts one and does not go on as one
    r")"
)
"""One escape sequence, at most `_ESCAPE_CHARS` long. A string that never ends is shown, but for its first two."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
r"""What cannot be shown: all control characters but tab and `\n`, those that break lines or turn the order of others
around, and halves of surrogate pairs."""


class Line(msgspec.Struct, frozen=True, gc=False):
    """One line as shown."""

    n: int
    """Number of the line in its attempt, from 0."""
    recorded_at: Micros
    """When its first piece was recorded."""
    text: str
    partial: bool = False
    """Its end has not come yet: it may change, and keeps its `n`."""


class LineState(msgspec.Struct, frozen=True, kw_only=True):
    """Where the pieces so far have left off."""

    n: int = 0
    """Number of the next line to end."""
    carry: str = ""
    """What is needed of that line's text so far; bounded, however much was printed."""
    recorded_at: Micros | None = None
    """When the line's first piece was recorded; None where it has none yet."""


def step(state: LineState, pieces: Iterable[str], recorded_at: Micros) -> tuple[list[Line], LineState]:
    """The lines that `pieces`, recorded together, bring to an end, and the state behind them."""
    text = state.carry + "".join(pieces)
    *ended, rest = text.split("\n")
    shown = ended if is_plain(text) else [as_shown(line) for line in ended]
    lines = [Line(n, recorded_at, _cut(line)) for n, line in enumerate(shown, state.n)]
    if lines and state.recorded_at is not None:
        lines[0] = msgspec.structs.replace(lines[0], recorded_at=state.recorded_at)
    return lines, _left_off(state, len(ended), rest, recorded_at)


def advance(state: LineState, pieces: Iterable[str], recorded_at: Micros) -> LineState:
    """The state behind `pieces`, without the lines: what an index needs."""
    text = "".join(pieces)
    ended = text.count("\n")
    rest = text[text.rfind("\n") + 1 :] if ended else state.carry + text
    return _left_off(state, ended, rest, recorded_at)


def unfinished(state: LineState) -> Line | None:
    """The line that has begun and not ended; None where there is none, or nothing of it to show yet."""
    text = _cut(as_shown(state.carry))
    return Line(state.n, state.recorded_at, text, partial=True) if text and state.recorded_at is not None else None


def is_plain(text: str) -> bool:
    """Whether its lines are shown just as they were printed, but for their length."""
    return _CONTROL.search(text) is None


def _left_off(state: LineState, ended: int, rest: str, recorded_at: Micros) -> LineState:
    begun = state.recorded_at if not ended else None
    if begun is None and rest:
        begun = recorded_at
    return LineState(n=state.n + ended, carry=_bounded(rest), recorded_at=begun)


def as_shown(text: str) -> str:
    r"""A line without its `\n`, as shown but not cut."""
    if is_plain(text):
        return text
    for segment in reversed(text.split("\r")):
        if segment and (clean := _clean(segment)):
            return clean
    return ""


def _clean(segment: str) -> str:
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", _ESCAPE.sub("", segment))


def _cut(text: str) -> str:
    return text if len(text) <= LINE_CHARS else text[:LINE_CHARS] + TRUNCATED_MARK


def _bounded(rest: str) -> str:
    """An unfinished line, reduced to what can still be shown of it once more text follows."""
    if len(rest) <= LINE_CHARS and "\r" not in rest:
        return rest
    before, bar, last = rest.rpartition("\r")
    return as_shown(before)[: LINE_CHARS + 1] + bar + _bounded_segment(last)


def _bounded_segment(segment: str) -> str:
    """The last segment of an unfinished line: cleaned, but for an end that may be the start of an escape sequence."""
    if len(segment) <= LINE_CHARS:
        return segment
    open_from = len(segment)
    for escape in _ESCAPE.finditer(segment):
        if escape.start() > len(segment) - _ESCAPE_CHARS:
            open_from = escape.start()
            break
    shown = _clean(segment[:open_from])
    # One character too many is enough to know that the line is cut; behind it nothing is ever shown.
    return shown[: LINE_CHARS + 1] if len(shown) > LINE_CHARS else shown + segment[open_from:]
