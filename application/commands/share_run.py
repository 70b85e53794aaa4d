"""Opens a run to whoever holds a link, and closes it again."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from application.clock import Clock, now
from application.commands.create_personal_token import LONGEST_DAYS, NAME_CHARS
from application.credentials import mint
from application.event_log.group_commit import GroupCommit
from application.ports.accounts import Accounts, Secret
from application.ports.event_log import EventLog, RecordedEvent
from domain.errors import Refused, UnknownRun, UnknownThing
from domain.events import Event, RunShared, ShareWithdrawn, decode
from domain.ids import DAY_MICROS, Micros, Position, RunId
from domain.run import run_stream, share_run, share_stream

_WITHDRAWN = str(ShareWithdrawn.__struct_config__.tag)
_WITHDRAWALS = 1_000
"""Looked at behind a share: more cannot come while one is made."""
LINKS_A_RUN = 100
"""Open at once."""


class Shared(msgspec.Struct, frozen=True):
    token: str
    """The last part of the link; it is shown here only."""
    share_id: str
    """Names the link without opening it."""
    position: Position

    def __repr__(self) -> str:
        return f"Shared(position={self.position})"


class ShareRun:
    """Every share makes a new link; the earlier ones stay good until they expire or are withdrawn.

    Raises `UnknownRun`.
    """

    def __init__(self, commit: GroupCommit, log: EventLog, accounts: Accounts, clock: Clock = now) -> None:
        self._commit = commit
        self._log = log
        self._accounts = accounts
        self._clock = clock

    def share(self, run: RunId, *, shared_by: str, name: str = "", days: int | None = None) -> Shared:
        """On record first: nobody reads by a link that the history does not know.

        `days` None: open until it is withdrawn. Raises `Refused` for an impossible name or life, and for too many.
        """
        self._require(run)
        _check(name, days)
        at = self._clock()
        self._make_room(run, at)
        minted = mint("shr")
        expires_at = None if days is None else Micros(at + days * DAY_MICROS)
        event = RunShared(run=run, share_id=minted.id, shared_by=shared_by, name=name, expires_at=expires_at)
        position = self._commit.append_now([share_run(event)]).position
        self._accounts.add_secret(
            Secret(
                id=minted.id,
                secret_hash=minted.secret_hash,
                subject=run,
                kind="share",
                created_at=at,
                expires_at=expires_at,
                name=name,
                made_by=shared_by,
            )
        )
        if minted.id in self._withdrawn_since(run, position):
            # Withdrawn before there was a link to end: what the history says is closed must not stay open.
            self._accounts.drop_secret(minted.id)
        return Shared(minted.text, minted.id, position)

    def withdraw(self, run: RunId, *, withdrawn_by: str) -> Position:
        """Ends every link of the run, those that are made meanwhile too; 0 where there was none."""
        self._require(run)
        position = Position(0)
        while links := self._links(run):
            for link in links:
                self._accounts.drop_secret(link)
            position = self._record(run, links, withdrawn_by)
        return position

    def withdraw_one(self, run: RunId, share_id: str, *, withdrawn_by: str) -> Position:
        """Ends one link; the run's others stay. Raises `UnknownThing` for a link that is none of this run's."""
        self._require(run)
        link = self._accounts.find_secret(share_id)
        if link is None or (link.kind, link.subject) != ("share", run):
            raise UnknownThing("This run has no such link.")
        self._accounts.drop_secret(share_id)
        return self._record(run, [share_id], withdrawn_by)

    def _record(self, run: RunId, links: Collection[str], withdrawn_by: str) -> Position:
        events = [ShareWithdrawn(run=run, share_id=link, withdrawn_by=withdrawn_by) for link in sorted(links)]
        return self._commit.append_now([share_run(event) for event in events]).position

    def _links(self, run: RunId) -> set[str]:
        """Ids of what was shared and not withdrawn: on record, whether its link is kept yet or not, or kept."""
        found: set[str] = set()
        at = self._clock()
        for event in map(_said, self._log.stream(share_stream(run))):
            if isinstance(event, RunShared) and (event.expires_at is None or event.expires_at > at):
                found.add(event.share_id)
            elif isinstance(event, ShareWithdrawn):
                found.discard(event.share_id)
        return found | {link.id for link in self._accounts.secrets_of(run, "share")}

    def _withdrawn_since(self, run: RunId, position: Position) -> set[str]:
        behind = self._log.read(position, run=run, tags=[_WITHDRAWN], limit=_WITHDRAWALS)
        return {event.share_id for event in map(_said, behind) if isinstance(event, ShareWithdrawn)}

    def _make_room(self, run: RunId, at: Micros) -> None:
        """Lets go of links that have expired. Raises `Refused` where too many are open."""
        links = self._accounts.secrets_of(run, "share")
        for link in links:
            if link.is_over(at):
                self._accounts.drop_secret(link.id)
        if sum(not link.is_over(at) for link in links) >= LINKS_A_RUN:
            raise Refused(f"{LINKS_A_RUN} public links of this job are open; take some back first.")

    def _require(self, run: RunId) -> None:
        if not self._log.stream(run_stream(run)):
            raise UnknownRun(f"There is no run {run}.")


def _check(name: str, days: int | None) -> None:
    if len(name) > NAME_CHARS or not (name == "" or name.isprintable()):
        raise Refused.at("name", f"at most {NAME_CHARS} printable characters", NAME_CHARS)
    if days is not None and not 1 <= days <= LONGEST_DAYS:
        raise Refused.at("days", f"must be 1 to {LONGEST_DAYS:,}", LONGEST_DAYS)


def _said(recorded: RecordedEvent) -> Event | None:
    return None if recorded.payload is None else decode(recorded.tag, recorded.payload)
