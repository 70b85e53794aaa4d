"""A digest of the points that were read so far, whatever pieces they came in."""

from __future__ import annotations

import hashlib
from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tuneplane.moving.source import Scalar


class Prefix:
    """Points in order. Two sources that begin alike have equal digests after equally many points."""

    def __init__(self) -> None:
        self.points = 0
        self._columns = [hashlib.sha256() for _ in range(4)]

    def take(self, points: Sequence[Scalar]) -> None:
        keys, steps, times, values = self._columns
        keys.update("".join(f"{point[0]}\0" for point in points).encode("utf-8", "surrogatepass"))
        steps.update(array("q", [point[1] for point in points]).tobytes())
        times.update(array("d", [point[2] for point in points]).tobytes())
        values.update(array("d", [point[3] for point in points]).tobytes())
        self.points += len(points)

    def digest(self) -> str:
        """64 hex digits."""
        whole = hashlib.sha256()
        for column in self._columns:
            whole.update(column.digest())
        return whole.hexdigest()
