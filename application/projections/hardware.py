"""Which cards the GPU numbers of each host mean; the samples themselves are series."""

from __future__ import annotations

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.key_text import key_text
from application.projections.projection import Projection
from domain.events import Event, HardwareSampled
from domain.events.series import GpuDevices
from domain.ids import Attempt, Micros, RunId


class DeviceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What a host last said of its cards."""

    run: RunId
    attempt: Attempt
    host: str
    """As a key; as it was reported in `devices`."""
    devices: GpuDevices
    reported_at: Micros
    """When this was first said; the same said again is no news."""


DEVICE = RecordTable(name="device", record=DeviceRecord, key=("run", "attempt", "host"))


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Takes in the devices of one hardware batch, where they are news."""
    match event:
        case HardwareSampled(run=run, attempt=attempt, devices=devices):
            for device in devices:
                host = key_text(device.host)
                known = records.get(DEVICE, run, attempt, host)
                if known is None or known.devices != device:
                    at = recorded.recorded_at
                    news = DeviceRecord(run=run, attempt=attempt, host=host, devices=device, reported_at=at)
                    records.put(DEVICE, news)
        case _:
            pass


HARDWARE_PROJECTION = Projection(
    name="hardware_device", version=1, reads=(HardwareSampled,), tables=(DEVICE,), project=project
)
