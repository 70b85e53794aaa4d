"""A run, its execution attempts, its tokens and its share."""

from __future__ import annotations

from domain.events.base import AttemptEvent, RunEvent
from domain.ids import Attempt, Micros


class RunCreated(RunEvent, frozen=True, kw_only=True, omit_defaults=True, tag="run-created.v1"):
    name: str
    owner: str
    """User name of who made it."""
    tags: tuple[str, ...] = ()
    recipe: str | None = None
    framework: str | None = None
    notes: str | None = None


class ExecutionOpened(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="execution-opened.v1"):
    token_id: str
    """The public half of the ingest token; its secret is stored nowhere in the log."""
    expires_at: Micros
    opened_by: str


class IngestTokenIssued(RunEvent, frozen=True, kw_only=True, omit_defaults=True, tag="ingest-token-issued.v1"):
    """A further token for an attempt that is open already. No sign of life of the job."""

    attempt: Attempt
    token_id: str
    """The public half of the ingest token, as of the one the attempt was opened with."""
    expires_at: Micros
    issued_by: str


class IngestTokensRevoked(RunEvent, frozen=True, kw_only=True, omit_defaults=True, tag="ingest-tokens-revoked.v1"):
    token_ids: tuple[str, ...]
    revoked_by: str


class RunShared(RunEvent, frozen=True, kw_only=True, omit_defaults=True, tag="run-shared.v1"):
    share_id: str
    """Names the share without opening it."""
    shared_by: str
    name: str = ""
    """What it is for, to people; empty where nobody said."""
    expires_at: Micros | None = None
    """None: until it is withdrawn."""


class ShareWithdrawn(RunEvent, frozen=True, kw_only=True, omit_defaults=True, tag="share-withdrawn.v1"):
    share_id: str
    withdrawn_by: str
