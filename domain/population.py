"""The planned size of an evaluation round: declared once."""

from __future__ import annotations

from domain.events import PopulationDeclared
from domain.ids import stream_id
from domain.placement import Placement
from domain.rules import first_accepted_wins


def declare_population(event: PopulationDeclared) -> Placement:
    """The first accepted declaration of a round stands; results may arrive before it."""
    return first_accepted_wins.place(event, stream_id(event.run, event.attempt, "population", event.round_id))
