"""Says to everything that streams that the server is about to stop: granian waits for open streams."""

from __future__ import annotations

import asyncio


class Stopping:
    """Begun once. Streams wait on it beside their own news, and end when it has begun."""

    def __init__(self) -> None:
        self._begun = asyncio.Event()

    @property
    def begun(self) -> bool:
        """Whether streams must end now."""
        return self._begun.is_set()

    def begin(self) -> None:
        """Called from the event loop's thread."""
        self._begun.set()

    async def wait(self) -> None:
        """Returns when it has begun."""
        await self._begun.wait()
