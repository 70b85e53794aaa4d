"""Lets a job upload an artifact it produced."""

from __future__ import annotations

import msgspec

from application.clock import Clock, now
from application.ports.event_log import EventLog
from application.ports.object_store import ObjectStore
from application.ports.uploads import SignedUpload, Upload, UploadSigner
from application.uploads_on_record import is_on_record
from domain.artifact import upload_key
from domain.errors import Refused, TryAgain
from domain.ids import Attempt, Micros, RunId
from domain.rules import body_is_wanted


class PermittedUpload(msgspec.Struct, frozen=True):
    signed: SignedUpload
    path: str
    """What to register the artifact under."""
    uploaded: bool
    """The body is here already: nothing has to be sent."""


class SignUpload:
    """Raises `Refused` where it is larger than this installation takes, `TryAgain` where the store is away."""

    def __init__(
        self, signer: UploadSigner, log: EventLog, bodies: ObjectStore, largest_bytes: int, clock: Clock = now
    ) -> None:
        self._signer = signer
        self._log = log
        self._bodies = bodies
        self._largest_bytes = largest_bytes
        self._clock = clock

    def __call__(
        self, run: RunId, attempt: Attempt, *, size_bytes: int, sha256: str, content_type: str
    ) -> PermittedUpload:
        """Nothing is on record before the upload is complete and the artifact registered."""
        if size_bytes > self._largest_bytes:
            raise Refused.at("size_bytes", f"at most {self._largest_bytes:,} bytes", self._largest_bytes)
        key = upload_key(run, attempt, sha256)
        uploaded = self._uploaded(run, key, size_bytes)
        upload = Upload(key=key, size_bytes=size_bytes, sha256=sha256, content_type=content_type)
        return PermittedUpload(self._signer.sign(upload), key, uploaded)

    def _uploaded(self, run: RunId, key: str, size_bytes: int) -> bool:
        found = self._bodies.stat(key)
        if found is None:
            return False
        if found.size_bytes != size_bytes:
            raise Refused.at("size_bytes", f"the body with this SHA-256 has {found.size_bytes:,} bytes")
        stored_at = Micros(int(found.stored_at * 1e6))
        claimable = body_is_wanted.may_be_claimed(stored_at=stored_at, now=self._clock())
        if not claimable and not is_on_record(self._log, run, key):
            raise TryAgain("These bytes were uploaded and never registered, and are about to be swept. Repeat it then.")
        return True
