"""CPU and memory of this machine and of one process tree: psutil where installed, else /proc."""

from __future__ import annotations

import importlib
from pathlib import Path

from tuneplane.foreign import Foreign

MIB = 1024 * 1024
_PROC = Path("/proc")


class Machine:
    """Reads this machine. Belongs to one thread; `cpu.pct` is over the time since the last reading."""

    def __init__(self) -> None:
        self._psutil = _psutil()
        self._cpu = _cpu_ticks()

    def read(self, pid: int, pids: frozenset[int]) -> dict[str, float]:
        """Metrics by name; what cannot be read here is absent. Memory in MiB, shares in percent."""
        total, available = self._memory()
        resident = sum(_status(one, "VmRSS") for one in pids) or self._resident(pid)
        threads = sum(_status(one, "Threads") for one in pids) or self._threads(pid)
        found: dict[str, float | None] = {
            "cpu.pct": self._cpu_percent(),
            "mem.pct": (total - available) / total * 100 if total else None,
            "mem.proc.avail": available / MIB if total else None,
            "cpu.thds": threads or None,
            "mem.proc": resident / MIB if resident else None,
            "mem.proc.pct": resident / total * 100 if total and resident else None,
        }
        return {name: value for name, value in found.items() if value is not None}

    def _cpu_percent(self) -> float | None:
        if self._psutil is not None:
            return float(self._psutil.cpu_percent(interval=None))
        before, self._cpu = self._cpu, _cpu_ticks()
        if before is None or self._cpu is None or self._cpu[0] <= before[0]:
            return None
        total, idle = self._cpu[0] - before[0], self._cpu[1] - before[1]
        return min(max((total - idle) / total * 100, 0.0), 100.0)

    def _memory(self) -> tuple[int, int]:
        """Bytes in all and available; zeros where unknown."""
        if self._psutil is not None:
            memory = self._psutil.virtual_memory()
            return int(memory.total), int(memory.available)
        return _key_value(_PROC / "meminfo", "MemTotal"), _key_value(_PROC / "meminfo", "MemAvailable")

    def _resident(self, pid: int) -> int:
        return int(self._process(pid, "memory_info", "rss"))

    def _threads(self, pid: int) -> int:
        return int(self._process(pid, "num_threads", ""))

    def _process(self, pid: int, method: str, part: str) -> Foreign:
        """For systems without /proc."""
        try:
            value = getattr(self._psutil.Process(pid), method)()
        except Exception:  # noqa: BLE001 - no psutil, or no such process
            return 0
        return getattr(value, part) if part else value


def process_tree(pid: int) -> frozenset[int]:
    """The process and its descendants, as far as /proc tells."""
    parents = {}
    for name in _names(_PROC):
        if name.isdigit():
            parents[int(name)] = _parent(int(name))
    found, frontier = {pid}, {pid}
    while frontier:
        frontier = {child for child, parent in parents.items() if parent in frontier} - found
        found |= frontier
    return frozenset(found)


def cpu_brand() -> str:
    """The processor's name, empty where unknown."""
    try:
        text = (_PROC / "cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else ""


def memory_bytes() -> int:
    """Memory of this machine; 0 where unknown."""
    return _key_value(_PROC / "meminfo", "MemTotal")


def _psutil() -> Foreign:
    try:
        return importlib.import_module("psutil")
    except Exception:  # noqa: BLE001 - a broken installation may raise anything
        return None


def _names(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir()]
    except OSError:
        return []


def _parent(pid: int) -> int:
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        return int(text.rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return -1


def _status(pid: int, name: str) -> int:
    return _key_value(_PROC / str(pid) / "status", name)


def _key_value(path: Path, name: str) -> int:
    """A number of a `Name:  123 kB` file, in bytes where it says kB; 0 where it is not there."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    for line in text.splitlines():
        if line.startswith(f"{name}:"):
            words = line.partition(":")[2].split()
            number = int(words[0]) if words and words[0].isdigit() else 0
            return number * 1024 if words[-1:] == ["kB"] else number
    return 0


def _cpu_ticks() -> tuple[int, int] | None:
    """Ticks of all CPUs since the start, in all and idle."""
    try:
        first = (_PROC / "stat").read_text(encoding="utf-8").split("\n", 1)[0].split()
    except OSError:
        return None
    ticks = [int(word) for word in first[1:9] if word.isdigit()]
    return (sum(ticks), ticks[3] + ticks[4]) if len(ticks) > 4 else None  # noqa: PLR2004 - idle, iowait
