"""The public links that are kept: from the store that decides whether they open, never from a view behind it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from application.ports.accounts import Accounts, Secret
from application.ports.records import Where
from application.ports.views import Views
from application.projections.run import RUN, RunRecord
from application.queries.moment import moment, moment_or_none
from domain.ids import Micros, RunId


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """One public link, without what opens it. Times are ISO-8601."""

    share_id: str
    name: str
    """What it is for; empty where nobody said."""
    made_by: str | None
    """None: unknown."""
    made_at: str
    expires_at: str | None
    """None: until it is taken back."""
    expired: bool
    """It opens nothing any more."""


class RunShare(msgspec.Struct, frozen=True, kw_only=True):
    """A public link, and the run that it opens."""

    share: Share
    run_id: RunId
    run_name: str
    owner: str


def shares_of(accounts: Accounts, run: RunId, *, now: Micros) -> list[Share]:
    """The links of one run, newest first."""
    return [_share(one, now) for one in accounts.secrets_of(run, "share")]


def shares(
    views: Views, accounts: Accounts, *, owner: str | None = None, run: RunId | None = None, now: Micros
) -> list[RunShare]:
    """The links of all runs, newest first; of the runs of `owner`, of `run`, where these are given."""
    kept = accounts.secrets("share") if run is None else accounts.secrets_of(run, "share")
    known = _runs(views, kept)
    return [
        RunShare(share=_share(one, now), run_id=record.run, run_name=record.name, owner=record.owner)
        for one in kept
        if (record := known.get(one.subject)) is not None and owner in {None, record.owner}
    ]


def _runs(views: Views, kept: Sequence[Secret]) -> dict[str, RunRecord]:
    ids = tuple({one.subject for one in kept})
    return {one.run: one for one in views.records.find(RUN, Where("run", "in", ids))} if ids else {}


def _share(one: Secret, now: Micros) -> Share:
    return Share(
        share_id=one.id,
        name=one.name,
        made_by=one.made_by or None,
        made_at=moment(one.created_at),
        expires_at=moment_or_none(one.expires_at),
        expired=one.is_over(now),
    )
