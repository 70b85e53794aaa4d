"""NVIDIA GPUs through NVML, where `nvidia-ml-py` is installed: metrics, uuids, and whose they are.

One field missing never costs the others, and one GPU lost never costs the rest. The binding's
errors have no common base (`NVMLLibraryMismatchError` is no `NVMLError`), so each field catches all.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Callable

from tuneplane.foreign import Foreign

MIB = 1024 * 1024
_IN_USE_MIB = 512
"""Memory from which a GPU counts as in use, where no process can be seen."""


@dataclass
class GpuReading:
    """Metrics and uuids by physical NVML index."""

    metrics: dict[str, float] = field(default_factory=dict)
    uuids: dict[str, str] = field(default_factory=dict)
    attribution: str = "none"
    """How the GPUs were found to be this job's: `pid`, `sticky` (earlier by pid), `mem`, `none`."""


class Gpus:
    """Reads this machine's GPUs. Belongs to one thread. Without NVML there are none."""

    def __init__(self, nvml: Foreign = None) -> None:
        self._nvml = nvml if nvml is not None else _binding()
        self._open = False
        self._ours: frozenset[int] = frozenset()

    def read(self, pids: frozenset[int]) -> GpuReading:
        """One reading of the GPUs that these processes use; of all where that cannot be told."""
        reading = GpuReading()
        handles = self._handles()
        metrics = {index: self._metrics(handle) for index, handle in handles.items()}
        chosen, reading.attribution = self._attributed(handles, metrics, pids)
        for index in chosen:
            reading.metrics.update({f"gpu.{index}.{name}": v for name, v in metrics[index].items()})
            uuid = self._field(partial(self._nvml.nvmlDeviceGetUUID, handles[index]))
            if uuid is not None:
                reading.uuids[str(index)] = _text(uuid)
        return reading

    def inventory(self) -> dict[str, Any]:
        """For the environment snapshot; empty where there is no GPU."""
        handles = self._handles()
        if not handles:
            return {}
        nvml = self._nvml
        cuda = self._field(lambda: nvml.nvmlSystemGetCudaDriverVersion_v2())  # noqa: PLW0108 - older ones lack it
        driver = self._field(nvml.nvmlSystemGetDriverVersion)
        return {
            "vendor": "NVIDIA",
            "driver_version": None if driver is None else _text(driver),
            "cuda_version": None if cuda is None else f"{cuda // 1000}.{cuda % 1000 // 10}",
            "count": len(handles),
            "devices": [self._device(index, handle) for index, handle in handles.items()],
        }

    def close(self) -> None:
        if self._open:
            self._field(self._nvml.nvmlShutdown)
            self._open = False

    def _device(self, index: int, handle: Foreign) -> dict[str, Any]:
        name = self._field(lambda: self._nvml.nvmlDeviceGetName(handle))
        memory = self._field(lambda: self._nvml.nvmlDeviceGetMemoryInfo(handle).total)
        return {
            "index": index,
            "name": None if name is None else _text(name),
            "memory_gb": None if memory is None else round(memory / 1024**3, 1),
        }

    def _handles(self) -> dict[int, Any]:
        if self._nvml is None:
            return {}
        if not self._open:
            self._open = self._field(lambda: self._nvml.nvmlInit() or True) is not None
        count = self._field(self._nvml.nvmlDeviceGetCount) if self._open else 0
        found = {
            index: self._field(partial(self._nvml.nvmlDeviceGetHandleByIndex, index)) for index in range(count or 0)
        }
        return {index: handle for index, handle in found.items() if handle is not None}

    def _metrics(self, handle: Foreign) -> dict[str, float]:
        nvml = self._nvml
        use: Foreign = self._field(lambda: nvml.nvmlDeviceGetUtilizationRates(handle))
        memory: Foreign = self._field(lambda: nvml.nvmlDeviceGetMemoryInfo(handle))
        readings: dict[str, Callable[[], float]] = {
            "pct": lambda: use.gpu,
            "mem.time": lambda: use.memory,
            "mem.value": lambda: memory.used / MIB,
            "mem.pct": lambda: memory.used / memory.total * 100,
            "temp": lambda: nvml.nvmlDeviceGetTemperature(handle, 0),
            "power": lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000,
        }
        values = {name: self._field(reading) for name, reading in readings.items()}
        return {name: float(value) for name, value in values.items() if value is not None}

    def _attributed(
        self, handles: dict[int, Any], metrics: dict[int, dict[str, float]], pids: frozenset[int]
    ) -> tuple[list[int], str]:
        ours = frozenset(index for index, handle in handles.items() if self._uses(handle, pids))
        if ours:
            self._ours |= ours
            return sorted(self._ours & frozenset(handles)), "pid"
        sticky = sorted(self._ours & frozenset(handles))
        if sticky:
            return sticky, "sticky"
        used = [i for i in sorted(handles) if metrics[i].get("mem.value", 0) >= _IN_USE_MIB]
        return (used, "mem") if used else (sorted(handles), "none")

    def _uses(self, handle: Foreign, pids: frozenset[int]) -> bool:
        running = self._field(lambda: self._nvml.nvmlDeviceGetComputeRunningProcesses(handle))
        return any(getattr(process, "pid", None) in pids for process in running or ())

    def _field(self, read: Callable[[], Any]) -> Foreign | None:
        try:
            return read()
        except Exception:  # noqa: BLE001 - see the module's docstring
            return None


def _binding() -> Foreign:
    """The NVML binding, or None where it is not installed or does not load."""
    try:
        return importlib.import_module("pynvml")
    except Exception:  # noqa: BLE001 - a broken driver installation may raise anything
        return None


def _text(value: Foreign) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
