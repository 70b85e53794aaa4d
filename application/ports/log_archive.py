"""Filling an empty log with the events of another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from application.ports.event_log import Head, RecordedEvent


class LogArchive(Protocol):
    """Adapters of the event log offer this beside `EventLog`."""

    def restore(self, events: Iterable[RecordedEvent]) -> Head:
        """Loads a whole log, from position 1, with its positions, times and hashes as they are; the new head.

        One transaction: an error while `events` are read leaves the log empty. Raises `IdentityTaken` where the log
        is not empty. The caller verifies the chain.
        """
        ...
