"""TensorBoard's events: what one record of an event file says, in the terms of a run.

Wire format of tensorflow's Event, Summary, HistogramProto and TensorProto messages (field numbers beside their use).
A float32 is widened exactly. What has no place in a run (text, images, audio, graphs) is counted by its kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tuneplane.contract import METRIC_KEY_CHARS
from tuneplane.moving.distributions import NotMapped, distribution
from tuneplane.moving.protobuf import BYTES, FIXED32, FIXED64, Torn, double, doubles, fields, integer, raw, single, text
from tuneplane.moving.source import Item, LeftOut, Unread
from tuneplane.moving.tensorboard_hparams import session
from tuneplane.moving.tensors import Tensor, tensor

_NAMES = {4: "image", 6: "audio"}
"""Fields of Summary.Value that have no place here."""
_OTHER_EVENTS = {4: "graph", 6: "log message", 7: "session log", 8: "run metadata", 9: "graph"}
"""Fields of Event beside its summary; a session log says that a writer began."""


class _Value(NamedTuple):
    tag: str
    plugin: str
    content: bytes
    """Of the plugin."""
    kind: str
    """`simple`, `histogram`, `tensor`, or what has no place here."""
    payload: int | bytes


class EventReader:
    """The events of one file, in order: a tag says only once which plugin its tensors belong to."""

    def __init__(self) -> None:
        self._plugins: dict[str, str] = {}

    def items(self, record: bytes) -> Iterator[Item]:
        """What one record says. Raises Torn where it is no event."""
        wall_time, step, summary = 0.0, 0, b""
        for number, kind, value in fields(record):
            if number == 5 and kind == BYTES:  # noqa: PLR2004 - Event.summary
                summary = raw(value)
            elif number == 1 and kind == FIXED64:
                wall_time = double(value)
            elif number == 2:  # noqa: PLR2004 - Event.step
                step = integer(value)
            elif number in _OTHER_EVENTS:
                yield LeftOut(_OTHER_EVENTS[number])
        if summary:
            for number, _, value in fields(summary):
                if number == 1:
                    yield from self._said(_value(raw(value)), step, wall_time)

    def _said(self, value: _Value, step: int, ts: float) -> Iterator[Item]:
        if value.plugin and len(value.tag) <= METRIC_KEY_CHARS:
            self._plugins[value.tag] = value.plugin
        if value.kind == "simple":
            yield value.tag, step, ts, single(value.payload)
        elif value.plugin == "hparams" or value.tag.startswith("_hparams_/"):
            yield from session(value.tag, value.content, ts)
        elif value.kind == "histogram":
            yield _histogram(value.tag, step, ts, raw(value.payload))
        elif value.kind == "tensor":
            yield self._of_tensor(value.tag, value.plugin, step, ts, raw(value.payload))
        else:
            yield LeftOut(value.kind)

    def _of_tensor(self, tag: str, plugin: str, step: int, ts: float, message: bytes) -> Item:
        plugin = plugin or self._plugins.get(tag, "")
        if plugin not in ("", "scalars", "histograms"):
            return LeftOut("text" if plugin == "text" else plugin)
        found = tensor(message)
        if isinstance(found, LeftOut):
            return found
        if plugin == "histograms":
            return _tensor_histogram(tag, step, ts, found)
        if len(found.numbers) == 1 and (plugin == "scalars" or not found.shape):
            return tag, step, ts, float(found.numbers[0])
        return LeftOut("tensor")


def _value(message: bytes) -> _Value:
    tag = plugin = ""
    kind, payload, content = "empty value", b"", b""
    for number, wire, value in fields(message):
        if number == 1:
            tag = text(value)
        elif number == 2 and wire == FIXED32:  # noqa: PLR2004 - Value.simple_value
            kind, payload = "simple", raw(value)
        elif number == 5:  # noqa: PLR2004 - Value.histo
            kind, payload = "histogram", raw(value)
        elif number == 8:  # noqa: PLR2004 - Value.tensor
            kind, payload = "tensor", raw(value)
        elif number in _NAMES:
            kind = _NAMES[number]
        elif number == 9:  # noqa: PLR2004 - Value.metadata
            plugin, content = _plugin(raw(value))
    return _Value(tag, plugin, content, kind, payload)


def _plugin(metadata: bytes) -> tuple[str, bytes]:
    """SummaryMetadata.plugin_data: plugin_name and content."""
    name, content = "", b""
    for number, _, value in fields(metadata):
        if number == 1:
            for inner, _, part in fields(raw(value)):
                if inner == 1:
                    name = text(part)
                elif inner == 2:  # noqa: PLR2004 - PluginData.content
                    content = raw(part)
    return name, content


def _histogram(tag: str, step: int, ts: float, message: bytes) -> Item:
    """HistogramProto: bucket_limit is where each bucket ends, bucket how many are in it."""
    limits: list[float] = []
    counts: list[float] = []
    for number, _, value in fields(message):
        if number == 6:  # noqa: PLR2004 - bucket_limit
            limits += doubles(value)
        elif number == 7:  # noqa: PLR2004 - bucket
            counts += doubles(value)
    return _checked(tag, step, ts, limits, counts)


def _tensor_histogram(tag: str, step: int, ts: float, found: Tensor) -> Item:
    """The histograms plugin: rows of left edge, right edge and count."""
    if len(found.numbers) % 3:
        return Unread(f"{tag[:200]!r}: a histogram of {len(found.numbers)} numbers; they come in threes")
    return _checked(tag, step, ts, list(found.numbers[1::3]), list(found.numbers[2::3]))


def _checked(tag: str, step: int, ts: float, limits: list[float], counts: list[float]) -> Item:
    try:
        return distribution(tag, step, ts, limits, counts)
    except NotMapped as problem:
        return LeftOut(f"histogram ({problem})")


def first_event(record: bytes) -> tuple[float, str]:
    """When an event file began, and its version (Event.wall_time, Event.file_version). Raises Torn."""
    wall_time, version = 0.0, ""
    for number, _, value in fields(record):
        if number == 1:
            wall_time = double(value)
        elif number == 3:  # noqa: PLR2004 - Event.file_version
            version = text(value)
    if not version.startswith("brain.Event:"):
        raise Torn(f"byte 0: no event file: the first event says version {version[:40]!r}")
    return wall_time, version
