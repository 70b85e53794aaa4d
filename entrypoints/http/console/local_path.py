"""Where a person wanted to go before signing in: only ever a page of this server."""

from __future__ import annotations

import re

from entrypoints.http.console.addresses import address_of

_LOCAL = re.compile(r"\A/(?![/\\])[!-~]*\Z")
_LONGEST = 2_048


def local_path(text: str) -> str:
    r"""`text` where it is a path here, else the front page.

    Browsers read `//host`, `/\host` and paths with tabs or line ends in them as addresses of other hosts.
    """
    if len(text) > _LONGEST or "\\" in text or not _LOCAL.match(text):
        return "/"
    return text


def sign_in_address(path: str) -> str:
    """The sign-in page that leads back to `path`."""
    wanted = local_path(path)
    return address_of("/login", {"next": "" if wanted == "/" else wanted})
