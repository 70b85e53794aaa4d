"""Choosing a job by search."""

from __future__ import annotations

from collections.abc import Callable

from application.clock import now
from application.ports.views import Views
from application.queries.run import runs
from domain.ids import RunId
from entrypoints.http.console.contexts.picker import Choice, Picker

_OFFERED = 12
SEARCH_CHARS = 256


def picker(
    views: Views,
    q: str,
    *,
    action: str,
    field: str,
    label: str,
    kept: dict[str, object],
    address: Callable[[RunId], str],
) -> Picker:
    """Of `views` as they are: what is offered is a name to choose, whenever it is looked at."""
    found = runs(views, now=now(), q=q.strip()[:SEARCH_CHARS], limit=_OFFERED)
    return Picker(
        action=action,
        kept=[(name, str(value)) for name, value in kept.items() if value not in {None, ""}],
        field=field,
        label=label,
        q=q,
        choices=[Choice(run=one, address=address(one.run_id)) for one in found.items],
        more=found.next_cursor is not None,
    )
