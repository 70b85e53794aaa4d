"""An artifact that names an upload counts only once the object store confirms the bytes."""

from __future__ import annotations

from application.clock import Clock, now
from application.ports.event_log import EventLog
from application.ports.object_store import ObjectStore, StoredObject
from application.uploads_on_record import is_on_record
from domain.artifact import register_artifact, uploaded_sha256
from domain.errors import Refused
from domain.events import ArtifactRegistered
from domain.ids import Micros
from domain.rules import body_is_wanted

_SINGLE_FILE = "file"


class ConfirmUpload:
    """Asks the store for what is there; reads no bytes."""

    def __init__(self, log: EventLog, bodies: ObjectStore, clock: Clock = now) -> None:
        self._log = log
        self._bodies = bodies
        self._clock = clock

    def __call__(self, event: ArtifactRegistered) -> None:
        """Returns where the artifact may be registered: its bytes are here, or it names none that were uploaded here.

        One that is on record already may be sent again, whatever the store says. Raises `Refused` where the body is
        not there or another than the artifact says, `TryAgain` where the store is away.
        """
        sha256 = uploaded_sha256(event.run, event.attempt, event.path)
        if sha256 is None or self._log.stream(register_artifact(event).stream):
            return
        found = self._bodies.stat(event.path)
        if found is None:
            raise Refused.at("path", "nothing was uploaded there: ask for an address, PUT the body, then register it")
        _compare(event, found, sha256)
        stored_at = Micros(int(found.stored_at * 1e6))
        claimable = body_is_wanted.may_be_claimed(stored_at=stored_at, now=self._clock())
        if not claimable and not is_on_record(self._log, event.run, event.path):
            raise Refused.at("path", "was uploaded over an hour ago and never registered; ask for an address again")


def _compare(event: ArtifactRegistered, found: StoredObject, sha256: str) -> None:
    if found.sha256 != sha256:
        raise Refused.at("path", "the object store does not confirm the SHA-256 of this body")
    completion = event.completion
    single = completion is None or completion["shape"] == _SINGLE_FILE
    if single and event.size_bytes not in {None, found.size_bytes}:
        raise Refused.at("size_bytes", f"the uploaded body has {found.size_bytes:,} bytes", found.size_bytes)
    if completion is not None and single and completion["files"][0]["sha256"] != sha256:
        raise Refused.at("completion.files[0].sha256", "is not that of the uploaded body")
