"""What of a job is looked at: all of it or one attempt, as it is or as it was; and addresses that keep both."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, SkipValidation

from entrypoints.http.console.addresses import Query, address_of
from entrypoints.http.console.whole_number import whole_number


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """Where a reader of a job's pages stands."""

    run_id: str
    """As it came in the address; nobody has checked it yet."""
    attempt: int | None = None
    """The execution attempt that was chosen; None: the surviving lineage."""
    as_of: int | None = None
    """The position up to which the log counts; None: all of it, and what follows."""

    def page(self, path: str = "", **query: object) -> str:
        """A page of this job; what is empty or None in `query` is left out."""
        return self._address(f"/runs/{self.run_id}", path, query)

    def api(self, path: str, **query: object) -> str:
        """The same, of the JSON interface."""
        return self._address(f"/api/runs/{self.run_id}", path, query)

    def at(self, **changes: Any) -> Look:  # noqa: ANN401 - fields of its own
        """The same job, looked at otherwise."""
        return msgspec.structs.replace(self, **changes)

    def _address(self, job: str, path: str, query: Query) -> str:
        asked = {"attempt": self.attempt, "as_of": self.as_of, **query}
        return address_of(f"{job}/{path}" if path else job, asked)


def look_of(run_id: FromPath[str], attempt: FromQuery[str] = "", as_of: FromQuery[str] = "") -> Look:
    """From an address: the dependency `look`. Raises `Refused`."""
    return Look(
        run_id=run_id,
        attempt=whole_number("attempt", attempt, "the number of an execution attempt, from 0"),
        as_of=whole_number("as_of", as_of, "a position of the log, from 0"),
    )


Looking = NamedDependency[SkipValidation[Look]]
