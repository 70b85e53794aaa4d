"""The server process: granian inside this process, uvloop, and a stop that answers what is in flight."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import uvloop
from granian.constants import Interfaces, SSLProtocols
from granian.http import HTTP1Settings
from granian.server.embed import Server

from entrypoints.container import Container
from entrypoints.http.app import create_app
from entrypoints.http.chores import publish_heads, read_ahead, sweep_bodies
from entrypoints.http.stopping import Stopping
from entrypoints.settings import Settings

STREAMS_END_SECONDS = 0.3
"""What streams get to end in, before granian stops: it would wait for them for ever."""
STOP_SECONDS = 4.0
READERS = 12
"""Threads that answer pages and questions. More than may wait for views or a past, so that others are answered; Python
alone would make as many as there are cores, and 4.
"""
_CONNECTIONS = 4_096
_HEADER_MILLISECONDS = 10_000
_PROBE_SECONDS = 0.01
_log = logging.getLogger("tuneplane.server")


def run(container: Container, started: Callable[[], None], ending: Callable[[], None] | None = None) -> None:
    """Serves until SIGTERM or SIGINT; `started` is called once the port is open.

    `ending` is called in a thread of its own when the end was asked for, and is waited for while reports are still
    taken. Requests in flight are answered; what has not ended after `STOP_SECONDS` is cut.
    """
    uvloop.run(_serve(container, started, ending))


async def _serve(container: Container, started: Callable[[], None], ending: Callable[[], None] | None) -> None:
    server, settings = _granian(container), container.settings()
    stopping = container.stopping()
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(READERS, thread_name_prefix="reader"))
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.begin)
    serving = asyncio.create_task(server.serve())
    asked = asyncio.create_task(stopping.wait())
    chores = [
        asyncio.create_task(publish_heads(container.event_log())),
        asyncio.create_task(sweep_bodies(container.sweep_bodies(), stopping)),
    ]
    try:
        await _open(serving, stopping, settings.host, settings.port)
        _leave_alone_what_stays()
        if not serving.done():
            started()
            chores.append(asyncio.create_task(read_ahead(container.reading(), container.job_table())))
        await asyncio.wait({serving, asked}, return_when=asyncio.FIRST_COMPLETED)
        if ending is not None and not serving.done():
            await asyncio.to_thread(ending)
        await _stop(server, serving, stopping)
    finally:
        for task in (asked, *chores):
            task.cancel()


async def _open(serving: asyncio.Task[None], stopping: Stopping, host: str, port: int) -> None:
    """Returns once the port takes connections, or the server ends: granian does not say when it listens."""
    near = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - recognised, not bound
    while not (serving.done() or stopping.begun):
        try:
            _, probe = await asyncio.open_connection(near, port)
        except OSError:
            await asyncio.sleep(_PROBE_SECONDS)
        else:
            probe.close()
            return


def _leave_alone_what_stays() -> None:
    """Modules, routes and templates live as long as the process: no collection needs to look through them.

    Those that did took pages that make many objects to three times their median.
    """
    gc.collect()
    gc.freeze()


async def _stop(server: Server, serving: asyncio.Task[None], stopping: Stopping) -> None:
    stopping.begin()
    if not serving.done():
        await asyncio.sleep(STREAMS_END_SECONDS)
        server.stop()  # type: ignore[no-untyped-call]  # granian has no types here
        await asyncio.wait({serving}, timeout=STOP_SECONDS)
    if serving.done():
        serving.result()
    else:
        _log.warning("some requests did not end within %.0f s and were cut", STOP_SECONDS)


def _granian(container: Container) -> Server:
    settings: Settings = container.settings()
    return Server(
        create_app(container),
        address=settings.host,
        port=settings.port,
        interface=Interfaces.ASGI,
        backlog=1024,
        backpressure=_CONNECTIONS,
        http1_settings=HTTP1Settings(header_read_timeout=_HEADER_MILLISECONDS),
        websockets=False,
        log_enabled=False,
        ssl_cert=settings.tls_cert,
        ssl_key=settings.tls_key,
        ssl_protocol_min=SSLProtocols.tls12,
    )
