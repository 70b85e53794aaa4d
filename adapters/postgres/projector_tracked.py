"""One version of one projection, as the process that drives it knows it."""

from __future__ import annotations

from adapters.postgres.special_view import SpecialView
from domain.ids import Position, RunId


class Fenced(Exception):
    """Somebody else moved or removed the version; look again what there is."""


class Tracked:
    """Where it stands, and the runs it leaves alone."""

    def __init__(self, view: SpecialView, number: int, cohort: int, position: Position, stopped: set[RunId]) -> None:
        self.view = view
        self.name = view.name
        self.number = number
        self.schema = schema_of(view.name, number)
        self.cohort = cohort
        """The versions that share its position in the database."""
        self.position = position
        self.stopped = stopped
        """Runs it leaves alone because of a fault."""


def schema_of(name: str, number: int) -> str:
    """The schema that a version's tables are in."""
    return f"proj_{name}_v{number}"
