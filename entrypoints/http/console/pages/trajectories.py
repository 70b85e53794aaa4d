"""`/runs/{run}/trajectories`: the index of trajectories, one of them to read, and the deletion of its text."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

ROUTES: tuple[ControllerRouterHandler, ...] = ()
