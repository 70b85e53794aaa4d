"""`/runs/{run}/history`: every event of a job in order, and the job as it was at any of them."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

ROUTES: tuple[ControllerRouterHandler, ...] = ()
