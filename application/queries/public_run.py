"""A run as whoever holds its public link sees it: without whose it is, where it ran, and any text that it kept."""

from __future__ import annotations

import re

import msgspec

from application.ports.views import Views
from application.queries.config_diff import leaves
from application.queries.environment import Environment, GpuModel, environment, gpu_models, packages
from application.queries.hyperparameters import hyperparameters
from application.queries.page import Page
from application.queries.round import Round, rounds
from application.queries.run import Run, run
from application.queries.series import Series, series
from domain.ids import Micros, RoundId, RunId
from domain.rules.public_text import public_text, public_value

PARAMETERS = 500
_DRAWN = frozenset(("direction", "display", "unit"))
_FRAMEWORKS = frozenset((
    "accelerate", "axolotl", "bitsandbytes", "cuda-python", "datasets", "deepspeed", "flash-attn", "harbor",
    "jax", "lightning", "llamafactory", "lm-eval", "megatron-core", "nemo-rl", "numpy", "openrlhf", "peft",
    "pytorch-lightning", "ray", "sglang", "tensorflow", "tokenizers", "torch", "torchvision", "transformers",
    "triton", "trl", "tuneplane", "unsloth", "verl", "vllm", "xformers",
))  # fmt: skip
"""Of the packages these alone are named: others may be somebody's own."""
_VERSION = re.compile(r"\d[\w.+!-]{0,63}")
_SYSTEM = re.compile(r"(?:Linux|macOS|Windows)\b")


class PublicAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One execution attempt."""

    attempt: int
    status: str
    started_at: str | None
    finished_at: str | None


class PublicParameter(msgspec.Struct, frozen=True, kw_only=True):
    """One hyperparameter."""

    path: str
    text: str
    """What looks like a secret, an address, a folder, a host or a person is not shown."""


class PublicPackage(msgspec.Struct, frozen=True, kw_only=True):
    """A well-known package."""

    name: str
    version: str


class PublicEnvironment(msgspec.Struct, frozen=True, kw_only=True):
    """What it ran on; None is unknown."""

    python: str | None
    system: str | None
    """Linux, macOS or Windows."""
    cpu: str | None
    cores: int | None
    memory_gb: float | None
    gpus: list[GpuModel]
    driver: str | None
    cuda: str | None
    nodes: int | None
    packages: list[PublicPackage]
    package_count: int | None
    """All that were reported."""


class PublicRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run without whose it is, what it noted, and where it ran. Times are ISO-8601."""

    name: str
    status: str
    created_at: str
    started_at: str | None
    finished_at: str | None
    attempts: list[PublicAttempt]
    series: int
    parameters: list[PublicParameter]
    """By path, at most 500; of the latest attempt."""
    parameter_count: int | None
    """All of them; None where none was reported."""
    environment: PublicEnvironment | None
    """None where none was reported."""


def public_run(views: Views, run_id: RunId, *, now: Micros) -> PublicRun:
    """Everything of it that strangers may know but its curves and its rounds. Raises `UnknownRun`."""
    shown, surroundings = run(views, run_id, now=now), environment(views, run_id)
    names = _names(shown, surroundings)
    configured = hyperparameters(views, run_id)
    listed = leaves(configured.params) if configured.reported_at is not None else []
    return PublicRun(
        name=public_text(shown.name, names),
        status=shown.status,
        created_at=shown.created_at,
        started_at=shown.started_at,
        finished_at=shown.finished_at,
        attempts=[
            PublicAttempt(
                attempt=one.attempt, status=one.status, started_at=one.started_at, finished_at=one.finished_at
            )
            for one in shown.attempts
        ],
        series=shown.counts.series,
        parameters=[
            PublicParameter(path=public_text(one.path, names), text=public_value(one.path, one.text, names))
            for one in listed[:PARAMETERS]
        ],
        parameter_count=len(listed) if configured.reported_at is not None else None,
        environment=_environment(surroundings, names),
    )


def public_rounds(views: Views, run_id: RunId, *, now: Micros, limit: int) -> list[Round]:
    """Rounds, the latest to begin first; what producers named is without secrets, hosts, folders and people."""
    names = _names(run(views, run_id, now=now), environment(views, run_id))
    return [_round(one, names) for one in rounds(views, run_id, limit=limit).items]


def public_series(views: Views, run_id: RunId, *, now: Micros, limit: int, cursor: str | None = None) -> Page[Series]:
    """Series in numbers, under the keys that the job gave them; of what it declared, only what a chart needs."""
    found = series(views, run_id, limit=limit, cursor=cursor)
    names = _names(run(views, run_id, now=now), environment(views, run_id))
    return Page(items=[_series(one, names) for one in found.items], next_cursor=found.next_cursor)


def _round(known: Round, names: set[str]) -> Round:
    metrics = [msgspec.structs.replace(one, key=public_text(one.key, names)) for one in known.metrics]
    round_id = RoundId(public_text(known.round_id, names))
    return msgspec.structs.replace(known, round_id=round_id, metrics=metrics)


def _series(known: Series, names: set[str]) -> Series:
    said = {name: value for name, value in (known.descriptor or {}).items() if name in _DRAWN}
    shown = {name: public_text(value, names) if isinstance(value, str) else value for name, value in said.items()}
    return msgspec.structs.replace(known, descriptor=shown or None)


def _names(shown: Run, surroundings: Environment) -> set[str]:
    """Of people and hosts: not to be read anywhere."""
    told = surroundings.overview or {}
    hosts = {str(told[one]) for one in ("hostname", "host", "node") if told.get(one)}
    hosts |= {text for node in surroundings.nodes for text in (node.node_id, str(node.hostname or ""))}
    short = {host.partition(".")[0] for host in hosts}
    return {shown.owner, *(one.opened_by for one in shown.attempts), *hosts, *short} - {""}


def _environment(known: Environment, names: set[str]) -> PublicEnvironment | None:
    if known.overview is None and not known.nodes:
        return None
    told, machine = known.overview or {}, known.hardware or {}
    cpu, gpu = _object(machine.get("cpu")), _object(machine.get("gpu"))
    listed = packages(known.packages) if known.packages else []
    system = _SYSTEM.match(_text(told.get("platform"), names) or "")
    return PublicEnvironment(
        python=_text(told.get("python"), names),
        system=system[0] if system else None,
        cpu=_text(cpu.get("brand"), names),
        cores=_whole(cpu.get("cores")),
        memory_gb=_number(cpu.get("memory_gb")),
        gpus=[msgspec.structs.replace(one, name=public_text(one.name, names)) for one in gpu_models(gpu)],
        driver=_text(gpu.get("driver_version"), names),
        cuda=_text(gpu.get("cuda_version"), names),
        nodes=len(known.nodes) or None,
        packages=[
            PublicPackage(name=one.path, version=one.text)
            for one in listed
            if one.path in _FRAMEWORKS and _VERSION.fullmatch(one.text)
        ],
        package_count=len(listed) if known.packages else None,
    )


def _object(said: object) -> dict[str, object]:
    return said if isinstance(said, dict) else {}


def _text(said: object, names: set[str]) -> str | None:
    return public_text(said[:200], names) if isinstance(said, str) and said else None


def _whole(said: object) -> int | None:
    return said if isinstance(said, int) and not isinstance(said, bool) else None


def _number(said: object) -> float | None:
    return float(said) if isinstance(said, (int, float)) and not isinstance(said, bool) else None
