"""`/shares`: the public links that are open."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

ROUTES: tuple[ControllerRouterHandler, ...] = ()
