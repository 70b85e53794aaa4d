"""Addresses of pages: a path and what it is asked, in one spelling."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode

Query = Mapping[str, object]
"""Names and values in the order in which an address says them. None and what is empty go without saying; of a list,
each value is said."""


def pairs(query: Query) -> list[tuple[str, str]]:
    """The query as fields of a form."""
    found = [(name, one) for name, said in query.items() for one in (said if isinstance(said, list) else [said])]
    return [(name, str(one)) for name, one in found if one is not None and one != ""]


def address_of(path: str, query: Query) -> str:
    """`/review?left=a:b`."""
    asked = urlencode(pairs(query), quote_via=quote, safe=":")
    return f"{path}?{asked}" if asked else path


def extended(base: str, name: str, value: object = "") -> str:
    """`base`, asked one thing more; without a value, its beginning, to which a value is added later."""
    return f"{base}{'&' if '?' in base else '?'}{name}={quote(str(value), safe=':')}"
