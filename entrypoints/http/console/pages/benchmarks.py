"""`/runs/{run}/benchmarks`: scores, and how they came to be what they are."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

ROUTES: tuple[ControllerRouterHandler, ...] = ()
