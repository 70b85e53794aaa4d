"""Why something is refused. Each class's docstring is the sentence a person reads first."""

from __future__ import annotations

import msgspec


class FieldFault(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing wrong with one field of a request."""

    path: str
    """Where, as in `points[3].value`; empty for the whole body."""
    message: str
    limit: int | None = None
    """The bound that was crossed, where there is one."""


class DomainFault(Exception):
    """Something was refused, and nothing was stored."""

    def __init__(self, detail: str = "", *faults: FieldFault) -> None:
        super().__init__(detail or (type(self).__doc__ or "").strip())
        self.faults = faults

    @property
    def detail(self) -> str:
        """What happened and what to do, in a sentence or two."""
        return str(self)


class Refused(DomainFault):
    """The request breaks a rule of the interface; repeating it cannot help."""

    @classmethod
    def at(cls, path: str, message: str, limit: int | None = None) -> Refused:
        """A refusal for one field."""
        return cls(f"{path}: {message}" if path else message, FieldFault(path, message, limit))


class SeriesLimitReached(Refused):
    """The run already has as many series as one run may have."""


class StreamMovedOn(DomainFault):
    """Another writer extended the stream first; read again and decide again."""


class IdentityTaken(DomainFault):
    """The identity is already taken by other content, which stands."""


class UnknownRun(DomainFault):
    """There is no such run."""


class UnknownThing(DomainFault):
    """There is no such thing in this run."""


class NotAllowed(DomainFault):
    """You may not do that."""


class TokenUnknown(DomainFault):
    """A token is needed, and this one is not known."""


class TokenRefused(DomainFault):
    """The token is known, but not good for this: expired, revoked, or of another run."""


class TryAgain(DomainFault):
    """The server cannot take this right now; nothing was stored, repeat it later."""
