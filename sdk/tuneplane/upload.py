"""One file on its way to a signed address: streamed, and refused where it changes under our hands."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import re
import ssl
import stat
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urlsplit

from tuneplane.redaction import redacted
from tuneplane.transport import Outcome

_PIECE_BYTES = 1024 * 1024
_TIMEOUT_SECONDS = 60.0
"""How long the store may stand still; after a large body it takes some time to answer."""
_ANSWER_BYTES = 65_536
_NAME_CHARS = 256
_TRANSIENT = (403, 408, 429)
"""403 among them: an address is good for five minutes, and another is asked for with each try."""
_ALREADY_THERE = 412
_SUCCESSES = range(200, 300)
_SERVER_ERRORS = 500
_ERROR_CODE = re.compile(r"<Code>([A-Za-z]{1,64})</Code>")


class FileUnusable(ValueError):
    """The file cannot be uploaded: it cannot be read, is no file, or changed."""


class Permission(NamedTuple):
    """Where to PUT which bytes."""

    url: str
    headers: dict[str, str]
    path: str
    """What to register them under."""
    uploaded: bool
    """They are there already."""

    def __repr__(self) -> str:
        return f"Permission(path={self.path!r})"  # the address opens a door


def permission(answer: bytes) -> Permission | None:
    """What the server answered to the question for an address; None where it is something else."""
    try:
        said: Any = json.loads(answer)
        url, headers, path = said["upload_url"], dict(said["headers"]), said["path"]
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or not isinstance(path, str):
            return None
        return Permission(url, {str(n): str(v) for n, v in headers.items()}, path, said.get("uploaded") is True)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


class FileToUpload:
    """A file that was read once, with its size and SHA-256; each later reading must find the same. Closes itself."""

    def __init__(self, file: str | os.PathLike[str]) -> None:
        """Raises FileUnusable."""
        self._shown = redacted(os.fspath(file))
        self.name = os.path.basename(self._shown)[:_NAME_CHARS] or "file"  # noqa: PTH119 - text for people alone
        self.size_bytes = 0
        self.sha256 = ""
        try:
            self._check(os.stat(file))  # noqa: PTH116 - before it is opened, which would wait for a pipe's other end
            self._file: BinaryIO = open(file, "rb")  # noqa: SIM115, PTH123 - closed on exit
        except OSError as problem:
            message = f"{self._shown}: {problem.strerror}"
            raise FileUnusable(message) from None

    def __enter__(self) -> FileToUpload:  # noqa: PYI034 - Self came after 3.9
        try:
            self._first = self._state()
            self.size_bytes = self._first[0]
            digest = hashlib.sha256()
            for piece in self._read():
                digest.update(piece)
            self.sha256 = digest.hexdigest()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()

    def pieces(self) -> Iterator[bytes]:
        """The bytes again. Raises FileUnusable, before the last piece, where they are others than before."""
        digest, held = hashlib.sha256(), b""
        for piece in self._read():
            digest.update(piece)
            if held:
                yield held
            held = piece
        if digest.hexdigest() != self.sha256:
            raise self._changed()
        yield held

    def _read(self) -> Iterator[bytes]:
        """Exactly as many bytes as the file had when it was opened, and not one piece more where it changed."""
        left = self.size_bytes
        try:
            self._file.seek(0)
            while left:
                piece = self._file.read(min(_PIECE_BYTES, left))
                if not piece:
                    break
                left -= len(piece)
                yield piece
        except OSError as problem:
            message = f"{self._shown}: {problem.strerror}"
            raise FileUnusable(message) from None
        if left or self._state() != self._first:
            raise self._changed()

    def _state(self) -> tuple[int, int]:
        """Size and time of the last change."""
        found = os.fstat(self._file.fileno())
        self._check(found)
        return found.st_size, found.st_mtime_ns

    def _check(self, found: os.stat_result) -> None:
        if not stat.S_ISREG(found.st_mode):
            message = f"{self._shown} is no regular file"
            raise FileUnusable(message)

    def _changed(self) -> FileUnusable:
        return FileUnusable(f"{self._shown} changed while it was read; upload it once it is complete")


def send(permitted: Permission, file: FileToUpload) -> Outcome:
    """PUTs the file. No token goes along: the address may be that of another store.

    Raises FileUnusable where the file changed; then the store did not get all of it.
    """
    parts = urlsplit(permitted.url)
    connection = _connection(parts.scheme == "https", str(parts.hostname), parts.port)
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    try:
        with contextlib.closing(connection):
            # Refused before all of it was read: the answer may be there all the same.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.request("PUT", target, file.pieces(), permitted.headers)
            answer = connection.getresponse()
            return _judged(answer.status, answer.read(_ANSWER_BYTES).decode("utf-8", "replace"))
    except (OSError, http.client.HTTPException) as problem:
        reason = f"no answer from where bodies are kept ({type(problem).__name__})"
        return Outcome(delivered=False, transient=True, reason=reason)


def _connection(secure: bool, host: str, port: int | None) -> http.client.HTTPConnection:  # noqa: FBT001 - a scheme
    if not secure:
        return http.client.HTTPConnection(host, port, timeout=_TIMEOUT_SECONDS)
    context = ssl.create_default_context()
    return http.client.HTTPSConnection(host, port, timeout=_TIMEOUT_SECONDS, context=context)


def _judged(status: int, content: str) -> Outcome:
    if status in _SUCCESSES or status == _ALREADY_THERE:
        return Outcome(delivered=True, transient=False, status=status)
    code = _ERROR_CODE.search(content)
    reason = f"HTTP {status}{f' ({code[1]})' if code else ''} from where bodies are kept"
    transient = status in _TRANSIENT or status >= _SERVER_ERRORS
    return Outcome(delivered=False, transient=transient, reason=reason, status=status)
