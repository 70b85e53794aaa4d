"""Takes back every ingest token of a run."""

from __future__ import annotations

from application.event_log.group_commit import GroupCommit
from application.ports.event_log import EventLog
from application.ports.ingest_tokens import IngestTokens
from domain.errors import UnknownRun
from domain.events import IngestTokensRevoked
from domain.ids import Position, RunId
from domain.run import revoke_tokens, run_stream


class RevokeTokens:
    """Raises `UnknownRun`."""

    def __init__(self, commit: GroupCommit, log: EventLog, tokens: IngestTokens) -> None:
        self._commit = commit
        self._log = log
        self._tokens = tokens

    def __call__(self, run: RunId, *, revoked_by: str) -> Position:
        """The tokens first: should the record fail, none of them is good any more."""
        if not self._log.stream(run_stream(run)):
            raise UnknownRun(f"There is no run {run}.")
        token_ids = tuple(self._tokens.revoke(run))
        event = IngestTokensRevoked(run=run, token_ids=token_ids, revoked_by=revoked_by)
        return self._commit.append_now([revoke_tokens(event)]).position
