"""Compressed bodies, with a bound on what they become: one gzip member or one zstd frame, whole.

More members or frames, trailing bytes and large windows are refused: no client of ours makes them, and each is a
way to spend the server's time or memory.
"""

from __future__ import annotations

import zlib

import zstandard

from entrypoints.http.errors import BodyTooLarge, Undecodable, WrongMediaType

ZSTD_WINDOW_BYTES = 1 << 23
"""What zstd's levels up to 19 use; the decompressor allocates it."""
_GZIP_WINDOW_BITS = 31


def inflated(encoding: str, body: bytes, limit: int) -> bytes:
    """The body as it was before `Content-Encoding: encoding`, at most `limit` bytes.

    Raises `BodyTooLarge`, `Undecodable` (torn, trailing data) or `WrongMediaType` (unknown encoding).
    """
    if encoding in {"", "identity"}:
        return body
    if encoding == "gzip":
        return _gunzipped(body, limit)
    if encoding == "zstd":
        return _unzstd(body, limit)
    raise WrongMediaType("Content-Encoding must be gzip, zstd or identity.")


def too_large(limit: int) -> BodyTooLarge:
    """The refusal of a body over `limit` bytes."""
    return BodyTooLarge(f"The body may have {limit:,} bytes after inflating.")


def _gunzipped(body: bytes, limit: int) -> bytes:
    stream = zlib.decompressobj(_GZIP_WINDOW_BITS)
    try:
        found = stream.decompress(body, limit + 1)
    except zlib.error:
        raise Undecodable("The body is not gzip.") from None
    if len(found) > limit:
        raise too_large(limit)
    if not stream.eof:
        raise Undecodable("The gzip body ends before its end.")
    if stream.unused_data:
        raise Undecodable("The gzip body has more than one member, or bytes behind its end.")
    return found


def _unzstd(body: bytes, limit: int) -> bytes:
    decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES)
    try:
        # The reader bounds what comes out; only the one-shot object says how the frame ended.
        if len(decompressor.stream_reader(body).read(limit + 1)) > limit:
            raise too_large(limit)
        stream = decompressor.decompressobj()
        found = stream.decompress(body)
    except zstandard.ZstdError:
        raise Undecodable(f"The body is not zstd with a window of at most {ZSTD_WINDOW_BYTES:,} bytes.") from None
    if not stream.eof:
        raise Undecodable("The zstd body ends before its end.")
    if stream.unused_data:
        raise Undecodable("The zstd body has more than one frame, or bytes behind its end.")
    return found
