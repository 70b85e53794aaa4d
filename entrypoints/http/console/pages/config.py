"""`/runs/{run}/config`: hyperparameters, environment, packages and nodes of a job."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

ROUTES: tuple[ControllerRouterHandler, ...] = ()
