"""Opens the next execution attempt of a run with an ingest token, or takes an open one up with a further token."""

from __future__ import annotations

import msgspec

from application.clock import Clock, now
from application.credentials import Minted, mint
from application.deciding import decided
from application.event_log.group_commit import GroupCommit
from application.ports.event_log import EventLog
from application.ports.ingest_tokens import IngestToken, IngestTokens
from domain.errors import Refused, UnknownRun, UnknownThing
from domain.events import ExecutionOpened, IngestTokenIssued
from domain.ids import DAY_MICROS, Attempt, Micros, Position, RunId
from domain.run import attempts_stream, issue_token, open_execution, run_stream

LONGEST_TOKEN_DAYS = 3_650


class OpenedExecution(msgspec.Struct, frozen=True, kw_only=True):
    run_id: RunId
    attempt: Attempt
    token: str
    """Shown here only; its hash alone is kept."""
    expires_at: Micros
    endpoint: str
    env: dict[str, str]
    """What a launcher puts into the job's environment."""
    position: Position

    def __repr__(self) -> str:
        return f"OpenedExecution(run_id={self.run_id!r}, attempt={self.attempt!r})"


class OpenExecution:
    """Raises `UnknownRun`, or `Refused` for an impossible life of the token."""

    def __init__(
        self,
        commit: GroupCommit,
        log: EventLog,
        tokens: IngestTokens,
        *,
        endpoint: str,
        token_days: int,
        clock: Clock = now,
    ) -> None:
        """`endpoint` is what jobs report to; `token_days` how long a token lives where nobody says otherwise."""
        self._commit = commit
        self._log = log
        self._tokens = tokens
        self._endpoint = endpoint
        self._token_days = token_days
        self._clock = clock

    def __call__(self, run: RunId, *, opened_by: str, token_days: int | None = None) -> OpenedExecution:
        """The attempt counts from 0, without gaps, however many are opened at once."""
        minted, expires_at = self._minted(run, token_days)
        attempt, position = decided(lambda: self._opened(run, minted, expires_at, opened_by))
        return self._handed_over(run, attempt, minted, expires_at, position)

    def again(self, run: RunId, attempt: Attempt, *, opened_by: str, token_days: int | None = None) -> OpenedExecution:
        """A further token for an attempt that is open already, for who brings in later what belongs to it.

        Raises `UnknownThing` for an attempt that was never opened. Tokens handed out before keep working.
        """
        minted, expires_at = self._minted(run, token_days)
        if not 0 <= attempt < len(self._log.stream(attempts_stream(run))):
            raise UnknownThing(f"Run {run} has no attempt {attempt}.")
        event = IngestTokenIssued(
            run=run, attempt=attempt, token_id=minted.id, expires_at=expires_at, issued_by=opened_by
        )
        position = self._commit.append_now([issue_token(event)]).position
        return self._handed_over(run, attempt, minted, expires_at, position)

    def _minted(self, run: RunId, token_days: int | None) -> tuple[Minted, Micros]:
        """A new token and when it expires."""
        days = self._token_days if token_days is None else token_days
        if not 1 <= days <= LONGEST_TOKEN_DAYS:
            raise Refused.at("token_days", f"must be 1 to {LONGEST_TOKEN_DAYS:,}", LONGEST_TOKEN_DAYS)
        if not self._log.stream(run_stream(run)):
            raise UnknownRun(f"There is no run {run}.")
        return mint("ing"), Micros(self._clock() + days * DAY_MICROS)

    def _handed_over(
        self, run: RunId, attempt: Attempt, minted: Minted, expires_at: Micros, position: Position
    ) -> OpenedExecution:
        # The event first: a token never speaks for an attempt that the log does not know.
        self._tokens.add(
            IngestToken(
                token_id=minted.id,
                secret_hash=minted.secret_hash,
                run=run,
                attempt=attempt,
                scope="ingest",
                expires_at=expires_at,
            )
        )
        return OpenedExecution(
            run_id=run,
            attempt=attempt,
            token=minted.text,
            expires_at=expires_at,
            endpoint=self._endpoint,
            env=job_environment(self._endpoint, run, attempt, minted.text),
            position=position,
        )

    def _opened(self, run: RunId, minted: Minted, expires_at: Micros, opened_by: str) -> tuple[Attempt, Position]:
        attempt = Attempt(len(self._log.stream(attempts_stream(run))))
        event = ExecutionOpened(
            run=run, attempt=attempt, token_id=minted.id, expires_at=expires_at, opened_by=opened_by
        )
        return attempt, self._commit.append_now([open_execution(event)]).position


def job_environment(endpoint: str, run: RunId, attempt: Attempt, token: str) -> dict[str, str]:
    """Source: CONTRACT.md "Job environment"."""
    return {
        "TUNEPLANE_JOB_ENABLED": "1",
        "TUNEPLANE_JOB_ENDPOINT": endpoint,
        "TUNEPLANE_JOB_RUN_ID": run,
        "TUNEPLANE_JOB_TOKEN": token,
        "TUNEPLANE_JOB_ATTEMPT": str(attempt),
    }
