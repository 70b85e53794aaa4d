"""How an evaluation round was made, as its producer declares it: once."""

from __future__ import annotations

from domain.events import ProtocolDeclared
from domain.ids import stream_id
from domain.placement import Placement
from domain.rules import first_accepted_wins


def declare_protocol(event: ProtocolDeclared) -> Placement:
    """The first accepted protocol of a round stands; a changed one needs a new round."""
    return first_accepted_wins.place(event, stream_id(event.run, event.attempt, "protocol", event.round_id))
