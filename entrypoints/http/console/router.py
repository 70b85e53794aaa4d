"""The console's routers: pages of those who are signed in, and what is open to everybody."""

from __future__ import annotations

from litestar import Router
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.types import ExceptionHandlersMap

from domain.errors import DomainFault
from entrypoints.container import Container
from entrypoints.http.console.authentication import NotSignedIn, PageAuthentication, to_sign_in
from entrypoints.http.console.console import Console
from entrypoints.http.console.pages import (
    charts,
    job_head,
    jobs,
    logs,
    problem,
    share,
    sign_in,
    validation,
    what_to_check,
)
from entrypoints.http.console.pages.share import Shares
from entrypoints.http.console.pages.sign_in import Door
from entrypoints.http.console.static_files import static

_HANDLERS: ExceptionHandlersMap = {
    NotSignedIn: to_sign_in,
    DomainFault: problem.on_refusal,
    HTTPException: problem.on_http_exception,
    Exception: problem.on_surprise,
}


def console_router(container: Container) -> Router:
    """All of it."""
    door = Door(container.settings(), container.doorkeeper(), container.sign_in(), container.sign_out())
    return Router(
        path="/",
        route_handlers=[_open_router(container), _pages_router(container)],
        dependencies={"door": Provide(lambda: door, sync_to_thread=False)},
        exception_handlers=_HANDLERS,
    )


def _open_router(container: Container) -> Router:
    shares = Shares(container.accounts(), container.reading())
    return Router(
        path="/",
        route_handlers=[static, sign_in.ask, sign_in.sign_in, share.share, share.share_series, share.share_data],
        dependencies={"shares": Provide(lambda: shares, sync_to_thread=False)},
    )


def _pages_router(container: Container) -> Router:
    console = Console(container.reading(), container.settings().public_address)
    doorkeeper = container.doorkeeper()
    return Router(
        path="/",
        route_handlers=[
            sign_in.sign_out,
            jobs.jobs,
            charts.charts,
            logs.logs,
            logs.earlier,
            validation.validation,
            validation.trial_history,
            job_head.head_part,
            what_to_check.what_to_check,
        ],
        middleware=[lambda app: PageAuthentication(app, doorkeeper)],
        dependencies={"console": Provide(lambda: console, sync_to_thread=False)},
    )
