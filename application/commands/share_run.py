"""Opens a run to whoever holds a link, and closes it again."""

from __future__ import annotations

import msgspec

from application.clock import Clock, now
from application.credentials import mint
from application.event_log.group_commit import GroupCommit
from application.ports.accounts import Accounts, Secret
from application.ports.event_log import EventLog
from domain.errors import UnknownRun
from domain.events import RunShared, ShareWithdrawn
from domain.ids import Position, RunId
from domain.run import run_stream, share_run

_WITHDRAWN = str(ShareWithdrawn.__struct_config__.tag)


class Shared(msgspec.Struct, frozen=True):
    token: str
    """The last part of the link; it is shown here only."""
    position: Position

    def __repr__(self) -> str:
        return f"Shared(position={self.position})"


class ShareRun:
    """Every share makes a new link; the earlier ones stay good until the share is withdrawn. Raises `UnknownRun`."""

    def __init__(self, commit: GroupCommit, log: EventLog, accounts: Accounts, clock: Clock = now) -> None:
        self._commit = commit
        self._log = log
        self._accounts = accounts
        self._clock = clock

    def share(self, run: RunId, *, shared_by: str) -> Shared:
        """On record first: nobody reads by a link that the history does not know."""
        self._require(run)
        minted = mint("shr")
        event = RunShared(run=run, share_id=minted.id, shared_by=shared_by)
        position = self._commit.append_now([share_run(event)]).position
        self._accounts.add_secret(
            Secret(id=minted.id, secret_hash=minted.secret_hash, subject=run, kind="share", created_at=self._clock())
        )
        if self._log.read(position, run=run, tags=[_WITHDRAWN], limit=1):
            # Withdrawn before there was a link to end: what the history says is closed must not stay open.
            self._accounts.drop_secret(minted.id)
        return Shared(minted.text, position)

    def withdraw(self, run: RunId, *, withdrawn_by: str) -> Position:
        """Ends every link of the run, those that are made meanwhile too; 0 where there was none."""
        self._require(run)
        position = Position(0)
        while links := self._accounts.secrets_of(run, "share"):
            for link in links:
                self._accounts.drop_secret(link.id)
            events = [ShareWithdrawn(run=run, share_id=link.id, withdrawn_by=withdrawn_by) for link in links]
            position = self._commit.append_now([share_run(event) for event in events]).position
        return position

    def _require(self, run: RunId) -> None:
        if not self._log.stream(run_stream(run)):
            raise UnknownRun(f"There is no run {run}.")
