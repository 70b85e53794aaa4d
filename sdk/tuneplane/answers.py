"""What the server's answers add up to: the client's side of the receipt that the console shows."""

from __future__ import annotations

import json
import threading


class Answered:
    """Counters of one kind of report, for any thread."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._unasked = False
        self._sent = 0
        self._duplicates = 0
        self._set_aside = 0
        self._clear = True
        self._lock = threading.Lock()

    def count(self, sent: int, status: int, body: bytes, *, together: bool = False) -> None:
        """Takes in the answer to a request that carried `sent` of them; without a status it went into a file.

        `together`: the answer counts all of them as one.
        """
        said = _numbers(body)
        with self._lock:
            if not status:
                self._unasked = True
                return
            self._sent += sent
            if said is None:
                self._clear = False
                return
            duplicates, set_aside = said
            weight = sent if together else 1
            self._duplicates += min(duplicates * weight, sent)
            self._set_aside += min(set_aside * weight, sent)

    def values(self) -> dict[str, int]:
        """For a health event. What no server answered, or answered otherwise, is left out: unknown is not zero."""
        with self._lock:
            if self._unasked:
                return {}
            told = {f"sent_{self._unit}": self._sent}
            if self._clear:
                told[f"duplicate_{self._unit}"] = self._duplicates
                told[f"set_aside_{self._unit}"] = self._set_aside
            return told


_events: dict[str, Answered] = {}
"""By run: what the session of this process counts. A `Reporter` beside it adds what it sends, so that one receipt holds
both."""


def events_of_session(run_id: str) -> Answered:
    """A session of this process begins to report to the run: its counter of events."""
    _events[run_id] = Answered("events")
    return _events[run_id]


def count_beside_session(run_id: str, sent: int, status: int, body: bytes) -> None:
    """Takes in what a `Reporter` sent, where a session of this process tells the run what was sent."""
    counted = _events.get(run_id)
    if counted is not None:
        counted.count(sent, status, body)


def forget_sessions() -> None:
    """In a forked child: the parent tells of what it sent."""
    _events.clear()


def _numbers(body: bytes) -> tuple[int, int] | None:
    """How many the answer calls repeats, and how many set aside; None where it does not say."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, dict):
        return None
    duplicates, set_aside = answer.get("duplicates"), answer.get("set_aside")
    if type(duplicates) is not int or type(set_aside) is not int or min(duplicates, set_aside) < 0:
        return None
    return duplicates, set_aside
