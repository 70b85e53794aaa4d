"""Runs: made once, run in attempts, shared and taken back."""

from __future__ import annotations

import re

from tuneplane.contract import RUN_ID_PATTERN

from domain.errors import UnknownRun
from domain.events import (
    Event,
    ExecutionOpened,
    IngestTokenIssued,
    IngestTokensRevoked,
    RunCreated,
    RunShared,
    ShareWithdrawn,
)
from domain.ids import RunId, StreamId, stream_id
from domain.placement import Placement, Verdict
from domain.rules import append_next, one_writer_at_a_time

_RUN_ID = re.compile(RUN_ID_PATTERN)


def named_run(text: str) -> RunId:
    """The run that an address names. Raises `UnknownRun` for what cannot be the id of any."""
    if not _RUN_ID.match(text):
        raise UnknownRun
    return RunId(text)


def attempts_stream(run: RunId) -> StreamId:
    """One event an execution attempt: version = attempt + 1."""
    return stream_id(run, "attempts")


def run_stream(run: RunId) -> StreamId:
    """One event: that the run was created."""
    return stream_id(run, "run")


def share_stream(run: RunId) -> StreamId:
    """Shares and their withdrawals."""
    return stream_id(run, "share")


def create_run(event: RunCreated) -> Placement:
    """A run's id is taken once; whoever comes second is refused, whatever they say."""
    return Placement(event=event, stream=run_stream(event.run), version=1, settle=_taken)


def open_execution(event: ExecutionOpened) -> Placement:
    """Attempts count from 0, without gaps."""
    return one_writer_at_a_time.place(event, attempts_stream(event.run), event.attempt + 1)


def issue_token(event: IngestTokenIssued) -> Placement:
    """Each further token of an attempt is on record."""
    return append_next.place(event, stream_id(event.run, event.attempt, "further-tokens"))


def revoke_tokens(event: IngestTokensRevoked) -> Placement:
    """Each revocation is on record."""
    return append_next.place(event, stream_id(event.run, "tokens"))


def share_run(event: RunShared | ShareWithdrawn) -> Placement:
    """Shares and withdrawals in the order they were made; each withdrawal is of one share."""
    return append_next.place(event, share_stream(event.run))


def _taken(standing: Event, reported: Event) -> Verdict:
    del standing, reported
    return Verdict.TAKEN
