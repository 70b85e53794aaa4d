"""What this process has done since it started, in numbers, for /metrics."""

from __future__ import annotations

from collections import Counter


class Counters:
    """Touched by the event loop alone, so no lock is needed."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        """(area, status) -> answers."""
        self.reports: Counter[str] = Counter()
        """Fate of what was reported -> points of metrics, events of everything else."""

    def answered(self, path: str, status: int) -> None:
        """One request was answered."""
        self.requests[_area(path), status] += 1

    def reported(self, accepted: int, duplicates: int, set_aside: int) -> None:
        """One ingest request was taken."""
        self.reports["accepted"] += accepted
        self.reports["duplicates"] += duplicates
        self.reports["set_aside"] += set_aside


def _area(path: str) -> str:
    if path.startswith("/api/ingest"):
        return "ingest"
    return "api" if path.startswith("/api/") else "console"
