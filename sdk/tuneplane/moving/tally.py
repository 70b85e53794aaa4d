"""What became of everything a run of the source held: the numbers of the table at the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tuneplane.terminal import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SHOWN = 10
"""Reasons of one run that are said with their words; the rest are counted."""
_REASONS = 1000
"""Of one run that are told apart: a million bad steps are no million reasons to remember."""
_REASON_CHARS = 500
_KINDS, _KIND_CHARS = 100, 64
"""The same for what is left out: the kinds are words of the files."""
_NAME_CHARS = 40
_HEADS = ("run", "page", "attempts", "points", "there before", "not finite", "histograms", "left out", "not read")
_TEXTS = 2
"""Columns of text, before those of numbers."""


@dataclass
class Tally:
    """One run's numbers."""

    name: str
    page: str = ""
    attempts: int = 0
    points: int = 0
    """Sent and new, those that are not finite included."""
    before: int = 0
    """Points that the server held already."""
    invalid: int = 0
    """Of `points` and `before`: NaN and infinities."""
    histograms: int = 0
    """Sent and new."""
    joined: int = 0
    """Of the histograms read: those whose neighbouring buckets were joined."""
    left_out: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    """What is worth knowing and no fault."""
    refusal: str = ""
    """Why the run went no further; empty where it did not stop."""

    def miss(self, reason: str, times: int = 1) -> None:
        """Counts what was not read; beyond so many reasons they share one."""
        reason = reason if len(reason) <= _REASON_CHARS else f"{reason[: _REASON_CHARS - 1]}…"
        if reason not in self.unread and len(self.unread) >= _REASONS:
            reason = "other reasons"
        self.unread[reason] += times

    def leave(self, kind: str, times: int = 1) -> None:
        """Counts what has no place here; beyond so many kinds they share one."""
        kind = shown(kind[:_KIND_CHARS])
        if kind not in self.left_out and len(self.left_out) >= _KINDS:
            kind = "other kinds"
        self.left_out[kind] += times

    def faults(self) -> int:
        return sum(self.unread.values()) + bool(self.refusal)


def kinds(counted: Counter[str]) -> str:
    """`text 3, image 2`."""
    return ", ".join(f"{kind} {count}" for kind, count in sorted(counted.items()))


def report(tallies: Sequence[Tally]) -> Iterator[str]:
    """The table, and below it what needs words."""
    rows = [_HEADS, *(_row(one) for one in tallies)]
    if len(tallies) > 1:
        rows.append(_row(_total(tallies)))
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEADS))]
    for row in rows:
        cells = [
            cell.ljust(width) if at < _TEXTS else cell.rjust(width) for at, (cell, width) in enumerate(zip(row, widths))
        ]
        yield "  ".join(cells).rstrip()
    for one in tallies:
        yield from (f"{one.name}: {line}" for line in _words(one))


def _words(one: Tally) -> Iterator[str]:
    if one.left_out:
        yield f"left out, no place for it here: {kinds(one.left_out)}"
    if one.joined:
        yield f"{one.joined} histograms had more than 64 buckets: neighbours were joined, their counts added"
    yield from one.notes[:_SHOWN]
    if len(one.notes) > _SHOWN:
        yield f"{len(one.notes) - _SHOWN} more of the kind"
    for reason, count in one.unread.most_common(_SHOWN):
        yield f"not read: {reason}" + (f" ({count} times)" if count > 1 else "")
    more = len(one.unread) - _SHOWN
    if more > 0:
        yield f"not read: {more} more reasons"
    if one.refusal:
        yield f"REFUSED: {one.refusal}"


def _row(one: Tally) -> tuple[str, ...]:
    numbers = (
        one.attempts,
        one.points,
        one.before,
        one.invalid,
        one.histograms,
        sum(one.left_out.values()),
        one.faults(),
    )
    name = shown(one.name)
    name = name if len(name) <= _NAME_CHARS else f"{name[: _NAME_CHARS - 1]}…"
    return (name, one.page, *(f"{number:,}" for number in numbers))


def _total(tallies: Sequence[Tally]) -> Tally:
    total = Tally(f"{len(tallies)} runs")
    for one in tallies:
        for name in ("attempts", "points", "before", "invalid", "histograms"):
            setattr(total, name, getattr(total, name) + getattr(one, name))
        total.left_out.update(one.left_out)
        total.unread.update(one.unread)
        total.unread[""] += bool(one.refusal)
    return total
