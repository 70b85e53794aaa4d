"""`/runs/{run}/hardware`: what each host and each GPU did."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

ROUTES: tuple[ControllerRouterHandler, ...] = ()
