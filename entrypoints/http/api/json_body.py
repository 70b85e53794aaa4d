"""What is sent to programs' routes is JSON, and says so: a form of another site can send neither."""

from __future__ import annotations

from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from entrypoints.http.errors import WrongMediaType

JSON = "application/json"


def only_json(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """A guard. A request without a body need not say what it is. Raises `WrongMediaType`."""
    headers = connection.headers
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    has_body = "transfer-encoding" in headers or headers.get("content-length", "0") != "0"
    if kind != JSON and (kind or has_body):
        raise WrongMediaType(f"Content-Type must be {JSON}.")
