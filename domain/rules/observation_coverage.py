"""Which of the observations a run's method asks for were reported. Coverage is no proof of correctness.

A requirement names candidates: metric keys, where `*` stands for any text. One that was reported is enough. Source:
SPEC "Method coverage and Agent observations", CONTRACT "Observation contract".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

import msgspec

CoverageStatus = Literal["reported", "missing", "not_enabled"]
CoverageState = Literal["complete", "partial", "none", "unasked", "unknown"]
"""Of the requirements that are enabled: all, some, none of them reported; `unasked`: none is enabled; `unknown`: no
contract asks for any."""
MATCHED_SHOWN = 64
COMPARISONS = 100_000
"""Names held against wildcards in one answer: less than a tenth of a second of work."""


class Requirement(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement of a contract, as sent; what is not used here is left out."""

    id: str
    group: str | None = None
    unit: str | None = None
    candidates: tuple[str, ...] = ()
    capability: str | None = None
    """None: asked of every run of the method."""
    enabled: bool | None = None
    """None: where the run has the capability."""


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one requirement."""

    id: str
    capability: str | None
    group: str | None
    unit: str | None
    enabled: bool
    status: CoverageStatus
    """`reported` whether it was enabled or not; `missing` only where it was."""
    matched: tuple[str, ...]
    """Reported names that a candidate names, in the candidates' order."""
    complete: bool
    """False where there may be more: `matched` stops at 64, and so does comparing at its bound."""


def observation_coverage(contract: Mapping[str, object], reported: Collection[str]) -> list[Coverage]:
    """The requirements of the latest `contract` in its order, held against the `reported` series keys and names."""
    requirements = msgspec.convert(contract.get("requirements") or [], list[Requirement])
    capabilities = msgspec.convert(contract.get("capabilities") or [], frozenset[str])
    names = _Names(reported)
    return [_covered(requirement, capabilities, names) for requirement in requirements]


def coverage_state(found: Sequence[Coverage] | None) -> CoverageState:
    """In one word; `found` is None where no contract was declared."""
    if found is None:
        return "unknown"
    enabled = [one.status for one in found if one.enabled]
    if not enabled:
        return "unasked"
    reported = enabled.count("reported")
    return "complete" if reported == len(enabled) else "partial" if reported else "none"


def matches(candidate: str, name: str) -> bool:
    """Whether the whole `name` is what `candidate` says: `*` any text, none included, all else literally."""
    return _fits(candidate.split("*"), name)


def _fits(texts: Sequence[str], name: str) -> bool:
    """Whether `name` is `texts` in this order with anything between them."""
    head, *rest = texts
    if not rest:
        return head == name
    *middle, tail = rest
    end = len(name) - len(tail)
    if not (name.startswith(head) and name.endswith(tail)):
        return False
    at = len(head)
    for text in middle:
        # The first place is as good as any for what follows, so nothing is ever tried twice.
        found = name.find(text, at)
        if found < 0:
            return False
        at = found + len(text)
    return at <= end


class _Names:
    """The reported names, found by how they start or end, and how many may still be looked at."""

    def __init__(self, reported: Collection[str]) -> None:
        self._known = frozenset(reported)
        self._left = COMPARISONS

    @cached_property
    def _by_start(self) -> list[str]:
        return sorted(self._known)

    @cached_property
    def _by_end(self) -> list[str]:
        return sorted(name[::-1] for name in self._known)

    @property
    def exhausted(self) -> bool:
        return not self._left

    def matching(self, candidate: str) -> Iterator[str]:
        texts = candidate.split("*")
        if len(texts) == 1:
            yield from (candidate,) if candidate in self._known else ()
            return
        head, tail = texts[0], texts[-1]
        backwards = len(tail) > len(head)
        for found in self._starting(self._by_end, tail[::-1]) if backwards else self._starting(self._by_start, head):
            name = found[::-1] if backwards else found
            if _fits(texts, name):
                yield name

    def _starting(self, names: Sequence[str], start: str) -> Iterator[str]:
        """Those of the sorted `names` that start so, while any may be looked at."""
        for at in range(bisect_left(names, start), len(names)):
            if not names[at].startswith(start) or not self._left:
                return
            self._left -= 1
            yield names[at]


def _first_matches(candidates: Sequence[str], names: _Names) -> list[str]:
    """Distinct names, one more than are shown where there are more."""
    matched: dict[str, None] = {}
    for candidate in candidates:
        for name in names.matching(candidate):
            matched[name] = None
            if len(matched) > MATCHED_SHOWN:
                return list(matched)
    return list(matched)


def _covered(requirement: Requirement, capabilities: frozenset[str], names: _Names) -> Coverage:
    matched = _first_matches(requirement.candidates, names)
    enabled = requirement.enabled
    if enabled is None:
        enabled = requirement.capability is None or requirement.capability in capabilities
    absent: CoverageStatus = "missing" if enabled else "not_enabled"
    return Coverage(
        id=requirement.id,
        capability=requirement.capability,
        group=requirement.group,
        unit=requirement.unit,
        enabled=enabled,
        status="reported" if matched else absent,
        matched=tuple(matched)[:MATCHED_SHOWN],
        complete=len(matched) <= MATCHED_SHOWN and not names.exhausted,
    )
