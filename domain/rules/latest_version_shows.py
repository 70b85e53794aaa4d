"""Versioned facts: equal to the latest is a duplicate, different is the next version, the latest is shown.

For hyperparameters, environment, nodes, observation contract, artifacts and benchmark scores. Earlier
versions stay in the history. Source: RULINGS "Identities".
"""

from __future__ import annotations

from domain.events import Event
from domain.ids import StreamId
from domain.placement import Placement, Verdict
from domain.rules.same_report import same_report


def place(event: Event, stream: StreamId) -> Placement:
    """The next version of the stream, unless the latest says the same."""
    return Placement(event=event, stream=stream, version=None, settle=settle)


def settle(standing: Event, reported: Event) -> Verdict:
    """Compared with the latest version alone."""
    return Verdict.DUPLICATE if same_report(standing, reported) else Verdict.NEXT_VERSION
