"""What processes cost: CPU seconds and memory, from /proc."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")


def own_cpu(pid: int) -> float:
    """Seconds of this process alone, in steps of 10 ms."""
    user, system, *_ = _times(pid)
    return user + system


def tree_cpu(pid: int) -> float:
    """Seconds of a process and all of its children, ended ones included."""
    total = 0.0
    for each in tree(pid):
        with contextlib.suppress(OSError):  # it ended meanwhile: its parent has its time
            total += sum(_times(each))
    return total


def pss(pid: int) -> float:
    """Megabytes of one process; what it shares with others is divided among them."""
    text = (_PROC / str(pid) / "smaps_rollup").read_text(encoding="ascii")
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1000


def tree(pid: int) -> Iterator[int]:
    """A process and everything below it."""
    children: dict[int, list[int]] = {}
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                children.setdefault(int(_fields(int(folder.name))[1]), []).append(int(folder.name))
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += children.get(one, [])


def _times(pid: int) -> list[float]:
    """User and system seconds, then those of children that ended."""
    return [int(ticks) / _TICKS for ticks in _fields(pid)[11:15]]


def _fields(pid: int) -> list[str]:
    """Of /proc/PID/stat, from the state on."""
    return (_PROC / str(pid) / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
