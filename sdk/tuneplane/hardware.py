"""Samples of CPU, memory and GPUs while a job runs, at a rate that falls with time."""

from __future__ import annotations

import os
import socket
import threading
from typing import TYPE_CHECKING, Any, Callable

from tuneplane.gpus import Gpus
from tuneplane.machine import Machine, process_tree
from tuneplane.observations import now_iso

if TYPE_CHECKING:
    from collections.abc import Mapping

INTERVAL = "TUNEPLANE_JOB_MONITOR_INTERVAL"
MONITORED = "TUNEPLANE_JOB_MONITORED"
"""Set to 1 by `tuneplane run`: the runner samples, so the script inside does not."""
DEFAULT_SECONDS = 10.0
SHORTEST_SECONDS = 5.0
_STEADY = ((10, 0.0), (50, 30.0))
_SETTLED_SECONDS = 60.0


def seconds_until_next(taken: int, interval: float) -> float:
    """Seconds to wait after the `taken`-th sample: the interval at first, then 30 s, then 60 s.

    Never below 5 s, and never below the interval.
    """
    for samples, floor in _STEADY:
        if taken < samples:
            return max(interval, floor, SHORTEST_SECONDS)
    return max(interval, _SETTLED_SECONDS)


def samples_here(env: Mapping[str, str]) -> bool:
    """Whether this process is the one to sample: rank 0, or no readable rank."""
    if env.get(MONITORED) == "1":
        return False
    for name in ("RANK", "LOCAL_RANK"):
        text = env.get(name)
        if text is not None:
            try:
                return int(text) == 0
            except ValueError:
                return True
    return True


def interval_from(env: Mapping[str, str], given: float | None = None) -> float:
    """Seconds between samples: as given, else the job's, else 10; at least 5."""
    wanted = env.get(INTERVAL) if given is None else given
    try:
        seconds = float(wanted or DEFAULT_SECONDS)
    except (TypeError, ValueError):
        seconds = DEFAULT_SECONDS
    return max(seconds, SHORTEST_SECONDS) if seconds < float("inf") else DEFAULT_SECONDS


class Monitor:
    """A thread that samples this machine and one process with its children.

    `pid` None means this process. `wait(seconds)` answers True when sampling is to end.
    """

    def __init__(self, interval: float = DEFAULT_SECONDS, *, pid: int | None = None) -> None:
        self._interval = interval
        self._pid = pid
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    @classmethod
    def from_env(cls, env: Mapping[str, str], interval: float | None = None) -> Monitor:
        return cls(interval_from(env, interval))

    def start(self, put: Callable[[dict[str, Any]], object]) -> None:
        """Calls `put` with each sample, from a thread of its own."""
        self._thread = threading.Thread(target=self._sample_on, args=(put,), name="tuneplane-hardware", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends sampling; a sample under way may still be taken. Does not wait."""
        self._ended.set()

    def _sample_on(self, put: Callable[[dict[str, Any]], object]) -> None:
        machine, gpus = Machine(), Gpus()
        try:
            sample_until_ended(
                lambda: sample(machine, gpus, self._pid or os.getpid()),
                put,
                self._ended.wait,
                self._interval,
            )
        finally:
            gpus.close()


def sample_until_ended(
    take: Callable[[], dict[str, Any]],
    put: Callable[[dict[str, Any]], object],
    wait: Callable[[float], bool],
    interval: float,
) -> None:
    """Takes samples at their rate until `wait(seconds)` answers True. A failed sample is skipped."""
    taken = 0
    ended = False
    while not ended:
        try:
            one = take()
            if one["metrics"]:
                put(one)
        except Exception:  # noqa: BLE001, S110 - a sample missing is no reason to end
            pass
        taken += 1
        ended = wait(seconds_until_next(taken, interval))


def sample(machine: Machine, gpus: Gpus, pid: int) -> dict[str, Any]:
    """One point for `/hardware`."""
    pids = process_tree(pid)
    found = gpus.read(pids)
    return {
        "hostname": socket.gethostname() or "localhost",
        "pid": pid,
        "ts": now_iso(),
        "metrics": {**machine.read(pid, pids), **found.metrics},
        "gpu_uuids": found.uuids,
        "gpu_attribution": found.attribution,
    }
