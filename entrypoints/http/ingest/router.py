"""The ingest router: its own authentication, and nothing of the console's."""

from __future__ import annotations

from litestar import Router
from litestar.di import Provide

from entrypoints.http.ingest.authentication import IngestAuthentication, KnownTokens
from entrypoints.http.ingest.intake import Intake
from entrypoints.http.ingest.routes import ROUTES


def ingest_router(intake: Intake, tokens: KnownTokens) -> Router:
    """Everything under /api/ingest."""
    return Router(
        path="/api/ingest",
        route_handlers=ROUTES,
        # A function, not DefineMiddleware: Litestar copies routers deeply, and functions alone survive that.
        middleware=[lambda app: IngestAuthentication(app, tokens)],
        dependencies={"intake": Provide(lambda: intake, sync_to_thread=False, use_cache=True)},
        tags=["ingest"],
        request_max_body_size=None,  # each path counts for itself, compressed and inflated
    )
