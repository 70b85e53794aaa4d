"""Parts of the charts page: observation coverage, the latest events, histograms and reporting health."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

ROUTES: tuple[ControllerRouterHandler, ...] = ()
