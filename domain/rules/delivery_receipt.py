"""Whether what an attempt's reporters say they sent is what is stored of it.

A reporter counts what the server answered, and says in its last words that it has finished. Where anybody did not say,
nothing is concluded. Source: SPEC "Delivery and capacity limits", RULINGS "Transport".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

Verdict = Literal["reconciled", "lossy", "missing", "unknown"]
"""`lossy`: a reporter dropped something. `missing`: something was answered and is not stored. `unknown`: see `Gap`."""
Gap = Literal["nobody_told", "not_finished", "totals_not_told", "more_stored", "goes_on"]
"""What keeps a receipt from being told: no reporter spoke; one's last words are not its final ones; one does not count
what it sent; more is stored than they count; the attempt has not ended."""
Said = Mapping[str, bool | int | float | str]
"""Values of a health event."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of report. None: a reporter does not say."""

    verdict: Verdict
    gap: Gap | None
    """Only where the verdict is unknown."""
    sent: int | None
    """Answered by the server, repeats included."""
    duplicates: int | None
    """Of them, answered as repeats of what is stored."""
    set_aside: int | None
    """Of them, answered as different from what stands; kept on record."""
    dropped: int | None
    """Never sent, or refused for good: by those who say so, where anything was."""
    stored: int


def receipt_line(
    what: Literal["points", "events", "bytes"], latest: Iterable[Said], stored: int, *, ended: bool
) -> Line | None:
    """The receipt for one kind, from the latest words of each reporter; None where nothing was sent, told or stored."""
    reporters = list(latest)
    sent, dropped = _sum(reporters, f"sent_{what}"), _sum(reporters, f"dropped_{what}")
    duplicates, set_aside = _sum(reporters, f"duplicate_{what}"), _sum(reporters, f"set_aside_{what}")
    if not reporters and not stored:
        return None
    not_new = None if duplicates is None or set_aside is None else duplicates + set_aside
    verdict, gap = _judged(reporters, sent, not_new, stored, ended=ended)
    known_dropped = _told(reporters, f"dropped_{what}")
    if verdict != "missing" and known_dropped:
        verdict, gap = "lossy", None
    return Line(
        verdict=verdict,
        gap=gap,
        sent=sent,
        duplicates=duplicates,
        set_aside=set_aside,
        dropped=known_dropped or dropped,
        stored=stored,
    )


def whole_verdict(lines: Iterable[Line | None]) -> Verdict:
    """Of all kinds together: the worst of them; unknown where there is none."""
    found = {line.verdict for line in lines if line is not None}
    for verdict in _WORST_FIRST:
        if verdict in found:
            return verdict
    return "unknown"


_BEYOND_COUNTING = 1 << 63
_WORST_FIRST: tuple[Verdict, ...] = ("missing", "lossy", "unknown", "reconciled")


def _judged(
    reporters: Sequence[Said], sent: int | None, not_new: int | None, stored: int, *, ended: bool
) -> tuple[Verdict, Gap | None]:
    if not reporters:
        return "unknown", "nobody_told"
    if sent is None or not_new is None:
        return "unknown", "totals_not_told"
    if stored < sent - not_new:
        return "missing", None
    if not all(said.get("finished") is True for said in reporters):
        return "unknown", "not_finished" if ended else "goes_on"
    if stored > sent:
        return "unknown", "more_stored"
    return "reconciled", None


def _sum(reporters: Sequence[Said], name: str) -> int | None:
    """Of all reporters; None where there is none, or one does not say."""
    counts = [_count(said.get(name)) for said in reporters]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _told(reporters: Sequence[Said], name: str) -> int:
    """What those who say so say together: what one dropped is dropped, whoever is silent about it."""
    return sum(_count(said.get(name)) or 0 for said in reporters)


def _count(said: object) -> int | None:
    if isinstance(said, bool) or not isinstance(said, int | float) or not 0 <= said < _BEYOND_COUNTING:
        return None
    return int(said)
