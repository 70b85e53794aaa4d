"""How much is measured, and the installations that several lines share."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType
from typing import Self

from tests.bench.bodies import POINTS
from tests.bench.load import load
from tests.bench.many_jobs import Large, fill_pages
from tests.bench.stack import Stack, a_stack

RUNS = 4


class Bench:
    """One run of the benchmarks."""

    def __init__(self, *, quick: bool) -> None:
        """Quick: everything once and small, to see that it works; such figures are no budget's."""
        self.quick = quick
        self.repeats = 1 if quick else 3
        self._filled: Stack | None = None
        self._large: tuple[Stack, str, str] | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def sized(self, count: int) -> int:
        """`count`, or a twentieth of it."""
        return max(1, count // 20) if self.quick else count

    def filled(self) -> Stack:
        """An installation that took in 10 M points of 4 runs with 10 series each, and is at rest."""
        if self._filled is None:
            self._filled = self._open.enter_context(a_stack())
            fill(self._filled, self.sized(10_000_000))
            self._filled.settled()
        return self._filled

    def large(self) -> tuple[Stack, str, str]:
        """An installation with 10,000 jobs, and the ids of two of them that have much on every page."""
        if self._large is None:
            stack = self._open.enter_context(a_stack())
            size = Large(
                jobs=self.sized(10_000),
                series=self.sized(4_096),
                trials=self.sized(10_000),
                trajectories=self.sized(10_000),
                lines=self.sized(200_000),
            )
            self._large = (stack, *fill_pages(stack, size))
        return self._large


def fill(stack: Stack, points: int) -> int:
    """4 runs of 10 series with so many points in all, and a few more to end a batch; how many it were."""
    count = -(-points // (POINTS * RUNS))
    load(stack.port, stack.jobs(RUNS), "MessagePack", 0, count)
    return count * POINTS * RUNS
