"""A request as every route reads it: a body that stops coming is the sender's fault, and is answered as such."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from litestar import Request
from litestar.connection.base import AuthT, StateT, UserT
from litestar.exceptions import InternalServerException

from entrypoints.http.errors import BodyTorn


class BodyRequest(Request[UserT, AuthT, StateT]):
    """Litestar's own answers 500 to a sender who goes away, or sends what is no HTTP, in the middle of a body."""

    async def stream(self) -> AsyncGenerator[bytes, None]:
        """The pieces of the body. Raises `BodyTorn`."""
        try:
            async for piece in super().stream():
                yield piece
        except InternalServerException:
            raise BodyTorn from None
