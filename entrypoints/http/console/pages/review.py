"""`/review`: two jobs side by side, and matched evaluation evidence of two rounds."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

ROUTES: tuple[ControllerRouterHandler, ...] = ()
