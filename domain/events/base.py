"""What all events share."""

from __future__ import annotations

import msgspec

from domain.ids import Attempt, RunId


class RunEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A fact about one run. Stored as a MessagePack map; shapes only ever gain fields with defaults."""

    run: RunId


class AttemptEvent(RunEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A fact reported by one execution attempt of a run."""

    attempt: Attempt
