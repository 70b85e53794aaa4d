"""Style sheets, scripts and icons, named by a digest of them all, so that browsers may keep them for ever."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path
from typing import Any

import msgspec
from litestar import Request, Response, get
from litestar.params import FromPath

from entrypoints.http.errors import NothingHere

_FOLDER = Path(__file__).parent / "static"
_MEDIA_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
_FOR_EVER = "public, max-age=31536000, immutable"


class StaticFile(msgspec.Struct, frozen=True):
    content: bytes
    packed: bytes
    """The same, gzipped."""
    media_type: str


def _read() -> dict[str, StaticFile]:
    found: dict[str, StaticFile] = {}
    for path in sorted(_FOLDER.rglob("*")):
        media_type = _MEDIA_TYPES.get(path.suffix)
        if media_type is not None:
            content = path.read_bytes()
            packed = gzip.compress(content, mtime=0)
            found[path.relative_to(_FOLDER).as_posix()] = StaticFile(content, packed, media_type)
    return found


class StaticFiles:
    """All of them, in memory: about half a megabyte."""

    def __init__(self) -> None:
        self.files = _read()
        digest = hashlib.sha256()
        for name, file in self.files.items():
            digest.update(f"{name}\0{len(file.content)}\0".encode() + file.content)
        self._digest = digest.hexdigest()[:16]

    def address(self, name: str) -> str:
        """Where `name` is served. Modules that import each other relatively stay under one digest."""
        return f"/static/{self._digest}/{name}"

    def serve(self, digest: str, name: str, accepted: str) -> Response[bytes]:
        """`accepted` is the browser's Accept-Encoding. Raises `NothingHere`."""
        file = self.files.get(name)
        if file is None:
            raise NothingHere
        # A page made before an upgrade asks by the old digest: it gets what there is, and keeps it not.
        headers = {"Cache-Control": _FOR_EVER if digest == self._digest else "no-store", "Vary": "Accept-Encoding"}
        if "gzip" in accepted:
            return Response(file.packed, media_type=file.media_type, headers={**headers, "Content-Encoding": "gzip"})
        return Response(file.content, media_type=file.media_type, headers=headers)


STATIC = StaticFiles()


@get("/static/{digest:str}/{name:path}", include_in_schema=False, sync_to_thread=False)
def static(request: Request[Any, Any, Any], digest: FromPath[str], name: FromPath[str]) -> Response[bytes]:
    """Open to everybody."""
    return STATIC.serve(digest, name.lstrip("/"), request.headers.get("accept-encoding", ""))
