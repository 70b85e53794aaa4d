"""Validation samples: what was kept of an evaluation, to read."""

from __future__ import annotations

import msgspec

from application.queries.sample import SamplesOfRound
from application.queries.sample_reading import Component
from entrypoints.http.console.contexts.job import JobPage


class TextView(msgspec.Struct, frozen=True, kw_only=True):
    """One text of a sample."""

    role: str
    text: str
    size: str
    """How long it is; empty where all of it is shown at once."""


class SampleView(msgspec.Struct, frozen=True, kw_only=True):
    """One sample."""

    idx: int
    address: str
    """Of this sample: the page that begins with it."""
    conversation: list[TextView]
    pair: list[tuple[str, list[TextView]]]
    """`chosen` and `rejected` with their texts; empty where the sample is no pair."""
    env: TextView | None
    """None where nothing was said of the environment."""
    reward: float | None
    """None: not reported."""
    components: list[Component]
    more: list[tuple[str, TextView]]
    """Whatever else was sent, by name."""


class BarView(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the distribution of rewards."""

    label: str
    count: str
    width: float
    """Of 100: the greatest count."""


class NumbersView(msgspec.Struct, frozen=True, kw_only=True):
    """What was said of the samples, text apart."""

    of_round: SamplesOfRound
    received: str
    """How many there are, and of how many."""
    selection: bool
    """They are some of the evaluation's, or nobody said of how many."""
    whole: bool
    """Every chunk arrived."""
    bars: list[BarView]
    entries: list[str]
    """Where the distribution has no counts: its entries as they came, for who may read text."""


class ChoiceView(msgspec.Struct, frozen=True, kw_only=True):
    """A round that has samples."""

    round_id: str
    arrived: str
    address: str


class SamplesPage(JobPage, frozen=True, kw_only=True):
    template = "samples.html"
    round_id: str
    """Empty where none was chosen."""
    choices: list[ChoiceView]
    """Where none was chosen: rounds with samples, the latest to begin first."""
    validation: str
    """Address of the round, else of the validation tab."""
    numbers: NumbersView | None
    """None where the round has no samples."""
    readable: bool
    """The user may read text."""
    samples: list[SampleView]
    """By number; empty where text may not be read."""
    previous_page: str | None
    """Address of the samples before; None on the first page."""
    next_page: str | None
    """Address of the samples that follow; None on the last page."""
    here: str
    """Address of this page, to read it again."""
