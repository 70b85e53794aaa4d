"""What a page says when it cannot be shown."""

from __future__ import annotations

import http
import logging
from typing import Any

from litestar import Request, Response
from litestar.exceptions import HTTPException, NotFoundException, ValidationException

from domain.errors import DomainFault
from entrypoints.http.console.contexts.page import ProblemPage
from entrypoints.http.console.rendering import rendered
from entrypoints.http.errors import RETRY_AFTER_SECONDS, status_of

_log = logging.getLogger("tuneplane.http")
AnyRequest = Request[Any, Any, Any]


def on_refusal(_: AnyRequest, fault: DomainFault) -> Response[bytes]:
    """What the core or an edge refused."""
    return _page(status_of(fault), fault.detail)


def on_http_exception(_: AnyRequest, fault: HTTPException) -> Response[bytes]:
    """What Litestar itself refuses."""
    if isinstance(fault, ValidationException):
        return _page(422, "This address, or what was sent to it, cannot be read.")
    if isinstance(fault, NotFoundException):
        return _page(404, "There is nothing at this address.")
    return _page(fault.status_code, http.HTTPStatus(fault.status_code).phrase)


def on_surprise(request: AnyRequest, fault: Exception) -> Response[bytes]:
    """What nobody foresaw: says nothing of it outside."""
    _log.error("%s %s failed", request.method, request.url.path, exc_info=fault)
    return _page(500, "The server failed on this; its log says why.")


def _page(status: int, detail: str) -> Response[bytes]:
    headers = {"Retry-After": str(RETRY_AFTER_SECONDS)} if status in {429, 503} else {}
    page = ProblemPage(title=http.HTTPStatus(status).phrase, status=status, detail=detail)
    return rendered(page, status=status, headers=headers)
