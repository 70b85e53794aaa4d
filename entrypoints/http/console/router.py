"""The console's routers: pages of those who are signed in, and what is open to everybody."""

from __future__ import annotations

from litestar import Router
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.types import ControllerRouterHandler, ExceptionHandlersMap

from domain.errors import DomainFault
from entrypoints.container import Container
from entrypoints.http.api.router import given
from entrypoints.http.console.authentication import NotSignedIn, PageAuthentication, to_sign_in
from entrypoints.http.console.console import Console
from entrypoints.http.console.look import look_of
from entrypoints.http.console.pages import (
    account,
    artifacts,
    benchmarks,
    charts,
    config,
    hardware,
    history,
    job_head,
    jobs,
    logs,
    observations,
    people,
    problem,
    review,
    review_rounds,
    samples,
    share,
    shares,
    sign_in,
    trajectories,
    trajectory,
    trajectory_beside,
    trajectory_deletion,
    validation,
    what_to_check,
)
from entrypoints.http.console.pages.share import Shares
from entrypoints.http.console.pages.sign_in import Door
from entrypoints.http.console.static_files import static
from entrypoints.http.console.texts import Texts

_OPEN: tuple[ControllerRouterHandler, ...] = (static, *sign_in.OPEN_ROUTES, *share.ROUTES)
_PAGES = (
    jobs,
    job_head,
    charts,
    observations,
    logs,
    validation,
    samples,
    trajectories,
    trajectory,
    trajectory_beside,
    trajectory_deletion,
    config,
    hardware,
    artifacts,
    benchmarks,
    history,
    review,
    review_rounds,
    shares,
    people,
    account,
    what_to_check,
    sign_in,
)
"""Each names its handlers in `ROUTES`."""
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
        route_handlers=_OPEN,
        dependencies={"shares": Provide(lambda: shares, sync_to_thread=False)},
    )


def _pages_router(container: Container) -> Router:
    console = Console(container.reading(), container.settings().public_address)
    doorkeeper = container.doorkeeper()
    texts = Texts(container.bodies)
    return Router(
        path="/",
        route_handlers=[handler for page in _PAGES for handler in page.ROUTES],
        middleware=[lambda app: PageAuthentication(app, doorkeeper)],
        dependencies={
            "look": Provide(look_of, sync_to_thread=False),
            "console": Provide(lambda: console, sync_to_thread=False),
            "bodies": given(container.bodies),
            "job_table": given(container.job_table),
            "texts": Provide(lambda: texts, sync_to_thread=False),
            "delete_trajectory": given(container.delete_trajectory),
            "accounts": given(container.accounts),
            "manage_accounts": given(container.manage_accounts),
            "create_personal_token": given(container.create_personal_token),
            "share_run": given(container.share_run),
            "log": given(container.event_log),
        },
    )
