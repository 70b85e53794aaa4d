"""`/runs/{run}/validation/samples`: what was kept of an evaluation, to read."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

ROUTES: tuple[ControllerRouterHandler, ...] = ()
