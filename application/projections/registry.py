"""Every projection that is made of records, by name."""

from __future__ import annotations

from application.projections.projection import Projection

PROJECTIONS: tuple[Projection, ...] = ()
