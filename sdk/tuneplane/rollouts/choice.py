"""Which of a step's samples are kept: some of each category, the same ones whenever the file is read again.

These samples are biased on purpose: no rate can be made of them. Source: SPEC "Training rollout diagnostics".
"""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter
from collections.abc import Mapping
from typing import Any, Callable, Generic, TypeVar

from tuneplane.flatten import finite
from tuneplane.foreign import Foreign

ANOMALY, LOW_REWARD, REPRESENTATIVE = CATEGORIES = ("anomaly", "low_reward", "representative")
"""Of `contract.DIAGNOSTICS`. `failure` is none of them: only a producer that classified a failure may say so."""
Kept = TypeVar("Kept")


def category(reward: Foreign) -> str:
    """`anomaly` for what is no finite number, `low_reward` for 0 and less; a low reward is no failed answer."""
    number = finite(reward)
    if number is None:
        return ANOMALY
    return LOW_REWARD if number <= 0 else REPRESENTATIVE


def shares(found: Mapping[str, int], most: int) -> dict[str, int]:
    """How many of each category are kept: in turn one of each, until there are `most` or no more."""
    given = dict.fromkeys(CATEGORIES, 0)
    left = most
    while left > 0:
        wanting = [name for name in CATEGORIES if given[name] < found.get(name, 0)][:left]
        if not wanting:
            break
        for name in wanting:
            given[name] += 1
        left -= len(wanting)
    return given


class Choice(Generic[Kept]):
    """Holds at most `most` candidates of each category, whatever number is offered."""

    def __init__(self, most: int, seed: str) -> None:
        self.found: Counter[str] = Counter()
        self._most = most
        self._seed = seed
        self._candidates: dict[str, list[tuple[int, int, Any]]] = {name: [] for name in CATEGORIES}

    def offer(self, number: int, name: str, make: Callable[[], Kept]) -> None:
        """One sample, by its number and category; `make` is called where it may be among the chosen."""
        self.found[name] += 1
        held, rank = self._candidates[name], -self._rank(number)
        if len(held) < self._most:
            heapq.heappush(held, (rank, number, make()))
        elif held and rank > held[0][0]:
            heapq.heapreplace(held, (rank, number, make()))

    def chosen(self, most: int) -> list[tuple[int, Kept]]:
        """Numbers and samples of at most `most`, in the order of their numbers."""
        given = shares(self.found, min(most, self._most))
        best = ((name, sorted(held, reverse=True)) for name, held in self._candidates.items())
        return sorted(((number, one) for name, held in best for _, number, one in held[: given[name]]), key=_number)

    def _rank(self, number: int) -> int:
        """Like drawn by lot, but the same at each reading."""
        return int.from_bytes(hashlib.sha256(f"{self._seed}:{number}".encode()).digest()[:8], "big")


def _number(chosen: tuple[int, Any]) -> int:
    return chosen[0]
