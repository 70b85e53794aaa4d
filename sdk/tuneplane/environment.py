"""What a job runs in: interpreter, packages, CPU, GPUs, and the variables that shape a training."""

from __future__ import annotations

import os
import platform
import socket
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tuneplane import machine
from tuneplane.gpus import Gpus
from tuneplane.redaction import kept, redacted, redacted_command

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN_PREFIXES = (
    "ACCELERATE_", "CUDA_", "CUBLAS_", "DEEPSPEED_", "FSDP_", "GLOO_", "HF_", "MASTER_", "MKL_",
    "NCCL_", "NVIDIA_", "OMP_", "PYTORCH_", "RAY_", "SLURM_", "TOKENIZERS_", "TORCH", "TRANSFORMERS_",
    "VLLM_", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "NODE_RANK", "RANK",
)  # fmt: skip
_TEXT_CHARS = 512
_MOST_VARIABLES = 200
_COMMAND_WORDS = 256


def packages() -> str:
    """Installed distributions of this interpreter, one `name==version` a line."""
    found: dict[str, str] = {}
    for distribution in metadata.distributions():
        try:
            name, version = distribution.metadata["Name"], distribution.version
        except Exception:  # noqa: BLE001, S112 - a broken installation beside sound ones
            continue
        if name:
            found.setdefault(name.lower(), f"{name}=={version}")
    return "".join(f"{found[name]}\n" for name in sorted(found))


def variables(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that shape a training; values of secret-looking ones are left out."""
    chosen = sorted(name for name in env if name.startswith(_SHOWN_PREFIXES))[:_MOST_VARIABLES]
    return {name: _shown(kept(name, env[name])) for name in chosen}


def hardware(gpus: Gpus | None = None) -> dict[str, Any]:
    """`{cpu, gpu}`; unknown fields are null, and `gpu` is empty where none is found."""
    memory = machine.memory_bytes()
    cpu = {
        "brand": machine.cpu_brand() or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory_gb": round(memory / 1024**3, 1) if memory else None,
    }
    reader = gpus or Gpus()
    try:
        return {"cpu": cpu, "gpu": reader.inventory()}
    finally:
        reader.close()


def snapshot(env: Mapping[str, str], command: list[str] | None = None) -> dict[str, Any]:
    """The body of `/environment`, without the run."""
    overview: dict[str, Any] = {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "executable": sys.executable,
        "platform": platform.platform(),
        "hostname": socket.gethostname(),
        "directory": _shown(redacted(str(Path.cwd()))),
        "variables": variables(env),
    }
    if command:
        shown = redacted_command(command[:_COMMAND_WORDS])
        overview["command"] = [_shown(word) for word in shown]
    return {"overview": overview, "hardware": hardware(), "packages": packages()}


def node(found: Mapping[str, Any]) -> dict[str, Any]:
    """The machine, as `/environment/nodes` takes it; `found` comes from `hardware`."""
    name = socket.gethostname() or "localhost"
    return {"node_id": os.environ.get("NODE_RANK") or name, "hostname": name, **found}


def _shown(text: str) -> str:
    return text.encode("utf-8", "replace").decode()[:_TEXT_CHARS]
