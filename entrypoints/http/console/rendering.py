"""Pages as HTML: templates see the fields of their context and nothing else, and everything is escaped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import Response

from entrypoints.http.console.addresses import address_of, extended
from entrypoints.http.console.contexts.page import Page
from entrypoints.http.console.static_files import STATIC
from entrypoints.http.console.wording import FILTERS

CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'"
)
"""Pico.css draws its arrows and ticks as data: images."""
_HEADERS = {"Content-Security-Policy": CONTENT_SECURITY_POLICY, "Cache-Control": "no-store"}


def environment() -> Environment:
    """Where templates come from, and what they may call."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals.update(static=STATIC.address, address_of=address_of, extended=extended)
    made.filters.update(FILTERS)
    return made


_environment = environment()


def html(context: Page) -> bytes:
    """The page; half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD."""
    text = _environment.get_template(context.template).render(
        {name: getattr(context, name) for name in context.__struct_fields__}
    )
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def rendered(context: Page, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    """The answer with the page. Made in the handler's thread, so that the event loop does not have to."""
    more = {**_HEADERS, **(headers or {})}
    return Response(html(context), status_code=status, media_type="text/html", headers=more)
