"""The HTTP application: routers put together, and around them the gate and one table of errors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import PackageNotFoundError, version

from anyio import to_thread
from litestar import Litestar
from litestar.types import ControllerRouterHandler

from entrypoints.container import Container
from entrypoints.http.api.router import api_router
from entrypoints.http.console.router import console_router
from entrypoints.http.errors import HANDLERS
from entrypoints.http.gate import Gate, allowed_hosts
from entrypoints.http.health import health_router
from entrypoints.http.ingest.router import ingest_router
from entrypoints.http.ingest.uploads import UploadDesk, upload_router
from entrypoints.http.live.route import live_router
from entrypoints.http.openapi import openapi_config
from entrypoints.http.request import BodyRequest


def create_app(container: Container) -> Litestar:
    """The whole application. Nothing is connected before its lifespan begins."""
    app = Litestar(
        route_handlers=_routers(container),
        exception_handlers=HANDLERS,
        lifespan=[_lifespan(container)],
        openapi_config=openapi_config(_version()),
        request_class=BodyRequest,
        request_max_body_size=1024 * 1024,
        logging_config=None,
    )
    app.asgi_handler = Gate(app.asgi_handler, allowed_hosts(container.settings()), container.counters())
    return app


def _routers(container: Container) -> list[ControllerRouterHandler]:
    """One line a router; uploads come here only where bodies are files."""
    files = container.settings().s3_bucket is None
    return [
        health_router(container.health()),
        ingest_router(container.intake(), container.known_tokens()),
        *([upload_router(UploadDesk(container.file_store(), container.file_signer()))] if files else []),
        api_router(container),
        live_router(container.live_streams(), container.doorkeeper()),
        console_router(container),
    ]


def _lifespan(container: Container) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        commit = container.commit()
        commit.start()
        try:
            yield
        finally:
            container.stopping().begin()
            await to_thread.run_sync(container.live_hub().close)
            await to_thread.run_sync(commit.stop)

    return lifespan


def _version() -> str:
    try:
        return version("tuneplane-server")
    except PackageNotFoundError:
        return "0"
