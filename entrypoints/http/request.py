"""A request as every route reads it: a body that stops coming, or never ends, is its sender's fault, and said so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from litestar import Request
from litestar.connection.base import AuthT, StateT, UserT
from litestar.datastructures import FormMultiDict
from litestar.exceptions import InternalServerException

from entrypoints.http.errors import BodyTooSlow, BodyTorn

BODY_SECONDS = 60.0
"""Time for the whole body to arrive; uploads alone may take longer."""


@asynccontextmanager
async def in_time() -> AsyncIterator[None]:
    """Raises `BodyTooSlow` where the body has not arrived by then."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            yield
    except TimeoutError:
        raise BodyTooSlow from None


class BodyRequest(Request[UserT, AuthT, StateT]):
    """Litestar's own waits for ever, and answers 500 where the sender goes away in the middle of a body."""

    async def stream(self) -> AsyncGenerator[bytes, None]:
        """The pieces of the body, as slowly as they come. Raises `BodyTorn`."""
        try:
            async for piece in super().stream():
                yield piece
        except InternalServerException:
            raise BodyTorn from None

    async def body(self) -> bytes:
        """The whole body. Raises `BodyTorn`, `BodyTooSlow`."""
        async with in_time():
            return await super().body()

    async def form(self) -> FormMultiDict:
        """The body as a form. Raises `BodyTorn`, `BodyTooSlow`."""
        async with in_time():
            return await super().form()
