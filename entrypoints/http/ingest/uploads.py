"""Where a signed upload arrives when bodies are files: counted, hashed and flushed before it counts as there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from litestar import Request, Response, Router, put
from litestar.di import NamedDependency, Provide
from litestar.params import FromPath, FromQuery, SkipValidation

from adapters.filesystem.object_store import FilesystemObjectStore, IncomingFile
from adapters.filesystem.upload_signer import DIGEST_HEADER, ROUTE, FilesystemUploadSigner
from application.ports.uploads import Upload
from domain.errors import NotAllowed, Refused
from entrypoints.http.errors import BodyTooSlow, PreconditionFailed
from entrypoints.http.ingest.threads import in_thread

_PIECE_BYTES = 1024 * 1024
_PIECE_SECONDS = 60.0
"""How long the sender may stand still."""
_ALREADY_THERE = "This body is here already; nothing was changed."


class UploadDesk:
    """The store that takes uploads, and the signer that permitted them."""

    def __init__(self, store: FilesystemObjectStore, signer: FilesystemUploadSigner) -> None:
        self.store = store
        self.signer = signer


Using = NamedDependency[SkipValidation[UploadDesk]]


@put("/{key:path}", status_code=201)
async def receive_upload(
    request: Request[Any, Any, Any],
    desk: Using,
    key: FromPath[str],
    expires: FromQuery[int],
    signature: FromQuery[str],
) -> Response[bytes]:
    """Takes exactly the body that was permitted, once; another try at a body that is there answers 412."""
    upload = _announced(request, key.lstrip("/"))
    if not await in_thread(lambda: desk.signer.permits(upload, expires, signature)):
        raise NotAllowed("This upload was not permitted so, or its time has passed; ask for a new address.")
    if await in_thread(lambda: desk.store.stat(upload.key)) is not None:
        raise PreconditionFailed(_ALREADY_THERE)
    incoming = await in_thread(lambda: desk.store.incoming(upload.key))
    try:
        await _fill(request, incoming, upload.size_bytes)
        if not incoming.matches(upload.size_bytes, upload.sha256):
            raise Refused.at("", "the body is not the one that was announced: its length or SHA-256 differs")
        if not await in_thread(lambda: incoming.finish(upload.sha256)):
            raise PreconditionFailed(_ALREADY_THERE)
    finally:
        await in_thread(incoming.abandon)
    return Response(b"", status_code=201, headers={"ETag": f'"{upload.sha256}"'})


def _announced(request: Request[Any, Any, Any], key: str) -> Upload:
    length = request.headers.get("content-length", "")
    return Upload(
        key=key,
        size_bytes=int(length) if length.isascii() and length.isdigit() else -1,
        sha256=request.headers.get(DIGEST_HEADER.lower(), ""),
        content_type=request.headers.get("content-type", ""),
    )


async def _fill(request: Request[Any, Any, Any], incoming: IncomingFile, size_bytes: int) -> None:
    waiting = bytearray()
    size = 0
    async for piece in _steadily(request.stream()):
        size += len(piece)
        if size > size_bytes:
            return
        waiting += piece
        if len(waiting) >= _PIECE_BYTES:
            await _write(incoming, waiting)
    await _write(incoming, waiting)


async def _steadily(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The pieces. Raises `BodyTooSlow` where the next one does not come in time; the whole may take longer."""
    while True:
        try:
            async with asyncio.timeout(_PIECE_SECONDS):
                piece = await anext(pieces, None)
        except TimeoutError:
            raise BodyTooSlow from None
        if piece is None:
            return
        yield piece


async def _write(incoming: IncomingFile, waiting: bytearray) -> None:
    piece = bytes(waiting)
    waiting.clear()
    await in_thread(lambda: incoming.write(piece))


def upload_router(desk: UploadDesk) -> Router:
    """Opened by signatures alone."""
    return Router(
        path=ROUTE,
        route_handlers=[receive_upload],
        dependencies={"desk": Provide(lambda: desk, sync_to_thread=False, use_cache=True)},
        request_max_body_size=None,
        tags=["ingest"],
    )
