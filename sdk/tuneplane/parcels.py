"""What is sent in one go, and the two ways of sending: requests here, files in `local_files`."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Protocol

from tuneplane import columns
from tuneplane.contract import HPARAMS_BODY_BYTES
from tuneplane.foreign import Foreign
from tuneplane.series_keys import SeriesKeys
from tuneplane.transport import JSON, MESSAGEPACK, Outcome, Transport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tuneplane.columns import Logged
    from tuneplane.credentials import Credentials

BREATH_SECONDS = 0.0001


class Parcel(NamedTuple):
    """One request or one file line, its bytes settled: a repeat sends the same ones."""

    path: str
    body: bytes
    content_type: str = JSON
    points: int = 0
    events: int = 0
    contracts: int = 0
    """Observation contracts, which are answered like events."""
    perishable: bool = False
    """Not worth a retry: the next one tells more."""


def parted(parcel: Parcel) -> list[Parcel]:
    """What a refused request carried, a request each: one event that is refused takes no other with it.

    Empty where it carried one thing.
    """
    if parcel.path != "observations":
        return []
    document = json.loads(parcel.body)
    contract = document["contract"]
    contents = [] if contract is None else [({"events": [], "contract": contract}, 0, 1)]
    contents += [({"events": [event], "contract": None}, min(parcel.events, 1), 0) for event in document["events"]]
    if len(contents) < 2:  # noqa: PLR2004 - one thing cannot be parted
        return []
    return [
        parcel._replace(body=compact({**document, **content}), events=events, contracts=contracts)
        for content, events, contracts in contents
    ]


class Carrier(Protocol):
    """Packs what the outbox holds and delivers it. Belongs to the sender's thread."""

    def pack_points(self, calls: Sequence[Logged], refuse: Callable[[str, str], None]) -> list[Parcel]:
        """`refuse(key, reason)` once for each value that cannot be reported."""

    def pack_events(self, events: list[dict[str, Any]], contract: dict[str, Any] | None = None) -> list[Parcel]: ...

    def pack_hparams(self, params: dict[str, Any]) -> list[Parcel]: ...

    def pack_samples(self, samples: list[dict[str, Any]]) -> list[Parcel]: ...

    def deliver(self, parcel: Parcel) -> Outcome: ...

    def rest(self) -> None:
        """Called when nothing waits."""

    def close(self) -> None: ...

    def abandon(self) -> None:
        """In a forked child, in place of `close`."""


def breathe() -> None:
    """Hands the interpreter to the training thread between two slices of work."""
    time.sleep(BREATH_SECONDS)


class Requests:
    """Carries parcels over HTTP."""

    def __init__(self, credentials: Credentials, stream: str, *, timeout: float = 10.0) -> None:
        self._run_id = credentials.run_id
        self._stream = stream
        self._metrics_sequence = 0
        self._hardware_sequence = 0
        self._keys = SeriesKeys()
        self._transport = Transport(credentials.endpoint, credentials.token, timeout=timeout)

    def pack_points(self, calls: Sequence[Logged], refuse: Callable[[str, str], None]) -> list[Parcel]:
        packed = []
        found = columns.columns(calls, self._keys, refuse, breathe)
        for batch in columns.batches(found):
            self._metrics_sequence += 1
            body = columns.encoded(self._run_id, self._stream, self._metrics_sequence, batch, breathe)
            points = sum(column.points() for column in batch.values())
            packed.append(Parcel("metrics", body, MESSAGEPACK, points=points))
        return packed

    def pack_events(self, events: list[dict[str, Any]], contract: dict[str, Any] | None = None) -> list[Parcel]:
        body = self._json(events=events, contract=contract)
        return [Parcel("observations", body, contracts=int(contract is not None))]

    def pack_hparams(self, params: dict[str, Any]) -> list[Parcel]:
        """In as many requests as their size needs: later ones merge over earlier ones."""
        body = self._json(params=params)
        if len(body) <= HPARAMS_BODY_BYTES or len(params) < 2:  # noqa: PLR2004 - one cannot be parted
            return [Parcel("hparams", body)]
        names = list(params)
        half = len(names) // 2
        parts = ({name: params[name] for name in some} for some in (names[:half], names[half:]))
        return [parcel for part in parts for parcel in self.pack_hparams(part)]

    def pack_samples(self, samples: list[dict[str, Any]]) -> list[Parcel]:
        self._hardware_sequence += 1
        body = self._json(points=samples, stream=f"{self._stream}-hardware", sequence=self._hardware_sequence)
        return [Parcel("hardware", body)]

    def deliver(self, parcel: Parcel) -> Outcome:
        return self._transport.post(parcel.path, parcel.body, parcel.content_type)

    def rest(self) -> None:
        """A kept connection costs nothing."""

    def close(self) -> None:
        self._transport.close()

    def abandon(self) -> None:
        self._transport.abandon()

    def _json(self, **fields: Foreign) -> bytes:
        return compact({"run_id": self._run_id, **fields})


def compact(document: Foreign) -> bytes:
    """Compact JSON in UTF-8; a lone surrogate becomes U+FFFD. Raises ValueError for NaN."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
