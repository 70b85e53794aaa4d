"""`/account`: own password, sessions and personal tokens."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

ROUTES: tuple[ControllerRouterHandler, ...] = ()
