"""How this process gives memory back to the system."""

from __future__ import annotations

import ctypes

_MMAP_THRESHOLD = -3
"""`M_MMAP_THRESHOLD` of glibc's malloc.h."""
LARGE_BYTES = 4 * 1024 * 1024
"""More than a request's body or a chart takes, less than the columns of a long run."""


def return_large_blocks() -> None:
    """From now on, blocks of `LARGE_BYTES` or more go back to the system when they are freed.

    By itself glibc learns from the first of them to keep blocks of up to 32 MiB, for each thread anew: a few questions
    about the past of a long run left 600 MB behind. Other C libraries have nothing to set.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, LARGE_BYTES)
