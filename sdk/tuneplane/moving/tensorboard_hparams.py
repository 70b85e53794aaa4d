"""TensorBoard's hparams plugin: hyperparameters and what a session says of its end.

Source: tensorboard's `plugins/hparams/plugin_data.proto` and protobuf's `struct.proto` (numbers beside their use).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tuneplane.moving.protobuf import VARINT, double, fields, integer, raw, text
from tuneplane.moving.source import Configuration, Item, LeftOut, Stage

_START, _END, _EXPERIMENT = 3, 4, 2
_STATUS = {1: "succeeded", 2: "failed"}
_DEEPEST = 32


def session(tag: str, content: bytes, ts: float) -> Iterator[Item]:
    """HParamsPluginData: session_start_info, session_end_info; what describes a whole experiment is left out."""
    del tag, ts
    for number, _, value in fields(content):
        if number == _START:
            yield from _start(raw(value))
        elif number == _END:
            yield from _end(raw(value))
        elif number == _EXPERIMENT:
            yield LeftOut("description of an experiment")


def _start(message: bytes) -> Iterator[Item]:
    """SessionStartInfo: hparams = 1, a map; start_time_secs = 5."""
    params: dict[str, Any] = {}
    began = 0.0
    for number, _, value in fields(message):
        if number == 1:
            name, setting = _entry(raw(value), _DEEPEST)
            params[name] = setting
        elif number == 5:  # noqa: PLR2004 - as above
            began = double(value)
    if params:
        yield Configuration(params)
    if began:
        yield Stage("running", began)


def _end(message: bytes) -> Iterator[Item]:
    """SessionEndInfo: status = 1, end_time_secs = 2.

    Writers that log hyperparameters before the training begins write "success" without a time at once: that says
    nothing of how it ended.
    """
    status, ended = 0, 0.0
    for number, kind, value in fields(message):
        if number == 1 and kind == VARINT:
            status = integer(value)
        elif number == 2:  # noqa: PLR2004 - as above
            ended = double(value)
    if ended and status in _STATUS:
        yield Stage(_STATUS[status], ended)
    elif status:
        yield LeftOut("session end without a time")


def _entry(message: bytes, levels: int) -> tuple[str, Any]:
    """One entry of a map from text to google.protobuf.Value."""
    name, setting = "", None
    for number, _, value in fields(message):
        if number == 1:
            name = text(value)
        elif number == 2:  # noqa: PLR2004 - the entry's value
            setting = _setting(raw(value), levels)
    return name, setting


def _setting(message: bytes, levels: int) -> object:
    """google.protobuf.Value: null, number, text, flag, struct or list."""
    if not levels:
        return "nested too deep"
    found: object = None
    for number, _, value in fields(message):
        if number == 2:  # noqa: PLR2004 - number_value
            number_value = double(value)
            found = int(number_value) if number_value.is_integer() and abs(number_value) < 2**53 else number_value
        elif number == 3:  # noqa: PLR2004 - string_value
            found = text(value)
        elif number == 4:  # noqa: PLR2004 - bool_value
            found = bool(value)
        elif number == 5:  # noqa: PLR2004 - struct_value
            found = dict(_entry(raw(entry), levels - 1) for inner, _, entry in fields(raw(value)) if inner == 1)
        elif number == 6:  # noqa: PLR2004 - list_value
            found = [_setting(raw(entry), levels - 1) for inner, _, entry in fields(raw(value)) if inner == 1]
    return found
