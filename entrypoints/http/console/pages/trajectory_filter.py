"""Which trajectories an address asks for: the dependency `wanted` of the index and of the reader."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import msgspec
from litestar.di import NamedDependency, Provide
from litestar.params import QueryParameter, SkipValidation
from tuneplane.contract import SCOPES

from application.queries.trajectory_index import DIAGNOSTICS, IndexState, TrajectoryFilter
from domain.errors import Refused
from entrypoints.http.console.whole_number import whole_number

STATES: tuple[IndexState, ...] = get_args(IndexState)
_MOST_CHARS = 256
_MOST_DIGITS = 19
_Asked = Annotated[str, QueryParameter(max_length=_MOST_CHARS)]


def filter_of(
    of_scope: Annotated[str, QueryParameter(name="scope")] = "",  # `scope` is the ASGI scope to Litestar
    round_id: _Asked = "",
    diagnostic: _Asked = "",
    step: _Asked = "",
    trial_id: _Asked = "",
    of_state: Annotated[str, QueryParameter(name="state", max_length=_MOST_CHARS)] = "",  # as `scope`
) -> TrajectoryFilter:
    """Empty is any. Raises `Refused`."""
    return TrajectoryFilter(
        scope=_one_of("scope", of_scope, SCOPES),
        round_id=round_id or None,
        diagnostic=_one_of("diagnostic", diagnostic, DIAGNOSTICS),
        step=whole_number("step", step, "a step, from 0"),
        trial_id=trial_id or None,
        state=next((one for one in STATES if one == _one_of("state", of_state, STATES)), None),
    )


def query_of(wanted: TrajectoryFilter) -> dict[str, Any]:
    """The same as parameters of an address."""
    return msgspec.structs.asdict(wanted)


def _one_of(field: str, text: str, known: tuple[str, ...]) -> str | None:
    if text and text not in known:
        raise Refused.at(field, f"must be one of {', '.join(known)}")
    return text or None


WANTED = {"wanted": Provide(filter_of, sync_to_thread=False)}
Wanted = NamedDependency[SkipValidation[TrajectoryFilter]]
