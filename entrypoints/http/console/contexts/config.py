"""How a job was configured, where it ran, what it declared of its observations."""

from __future__ import annotations

import msgspec

from application.queries.config_diff import ConfigDiff, Leaf
from application.queries.declared_contract import DeclaredContract
from application.queries.environment import Environment, GpuModel, Node
from application.queries.hyperparameters import Hyperparameters
from application.queries.node_differences import NodeDifference
from application.queries.run import RunItem
from entrypoints.http.console.contexts.job import JobPage
from entrypoints.http.console.contexts.picker import Picker


class LeavesView(msgspec.Struct, frozen=True, kw_only=True):
    """Values that a search found."""

    shown: list[Leaf]
    found: int
    """How many there are; more than `shown` where they are too many for a page."""
    all: int
    """How many were reported."""


class DiffView(msgspec.Struct, frozen=True, kw_only=True):
    """What differs in one part of two configurations."""

    title: str
    anchor: str
    """Of the section."""
    left_known: bool
    """Whether the left job reported this part at all; without, nothing is told to differ."""
    right_known: bool
    diff: ConfigDiff | None
    """As much of it as a page shows; None where a side did not report it."""
    cut: int
    """Rows that are not shown."""


class AgainstView(msgspec.Struct, frozen=True, kw_only=True):
    """The job that this one is compared with."""

    run: RunItem
    page: str
    """Address of its Config tab."""
    without: str
    """This page without the comparison."""
    parts: list[DiffView]


class NodesView(msgspec.Struct, frozen=True, kw_only=True):
    shown: list[tuple[Node, list[GpuModel]]]
    """Each with its devices by model."""
    all: int
    """How many reported."""
    differences: list[NodeDifference]
    """Among those that are shown."""


class ParametersView(msgspec.Struct, frozen=True, kw_only=True):
    """Hyperparameters of the attempt that is shown."""

    known: Hyperparameters
    found: LeavesView
    """Flattened."""
    json: str
    """Address of them as JSON."""
    csv: str


class EnvironmentView(msgspec.Struct, frozen=True, kw_only=True):
    """Where the attempt that is shown ran."""

    known: Environment
    python: str | None
    """Version of the interpreter; None: not reported."""
    cuda: str | None
    """Its version; None: not reported."""
    driver: str | None
    """Its version; None: not reported."""
    gpus: list[GpuModel]
    """By model; empty where none was described."""
    found: LeavesView
    """All it says but packages, flattened."""
    packages: LeavesView
    """By name."""
    json: str
    """Address of it as JSON."""
    packages_csv: str
    nodes: NodesView


class ConfigPage(JobPage, frozen=True, kw_only=True):
    template = "config.html"
    q: str
    """Searched in names and values of every section; empty: everything."""
    address: str
    """Of this page, to read it again."""
    here: str
    """Path of this page without its question."""
    kept: list[tuple[str, str]]
    """What else of the question a search keeps."""
    parameters: ParametersView
    """Hyperparameters."""
    environment: EnvironmentView
    """Interpreter, devices, packages and nodes."""
    contract: DeclaredContract | None
    """None where none was declared."""
    descriptors: int
    """Most descriptors of the contract that are shown."""
    against: AgainstView | None
    """None where no job is chosen to compare with."""
    picker: Picker | None
    """To choose one; None where one is chosen."""
