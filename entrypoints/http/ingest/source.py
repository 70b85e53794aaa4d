"""Who reports: the run and attempt that the ingest token is for."""

from __future__ import annotations

import msgspec

from domain.errors import Refused, TokenRefused
from domain.ids import Attempt, RunId


class Source(msgspec.Struct, frozen=True):
    run: RunId
    attempt: Attempt

    def check(self, run_id: str, attempt: int | None) -> None:
        """Refuses a body that speaks of another run (403) or of another attempt (422)."""
        if run_id != self.run:
            raise TokenRefused("run_id: this token is for another run.")
        if attempt is not None and attempt != self.attempt:
            raise Refused.at("attempt", f"this token is for attempt {self.attempt}", int(self.attempt))
