"""MessagePack and flattening against an independent decoder, redaction, and hardware samples."""

import math
import os
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tuneplane import columns, contract, msgpack
from tuneplane.flatten import NoNumber, as_number, as_step
from tuneplane.gpus import Gpus
from tuneplane.hardware import Monitor, interval_from, sample_until_ended, samples_here, seconds_until_next
from tuneplane.machine import Machine, process_tree
from tuneplane.redaction import kept, names_a_secret, redacted, redacted_command
from tuneplane.series_keys import SeriesKeys


def _no_refusal(*why):
    pytest.fail(f"refused: {why}")


decode = msgspec.msgpack.decode


@given(st.lists(st.integers(0, 2**63 - 1), max_size=70))
def test_integers_read_back_as_they_were(numbers):
    assert decode(msgpack.integers(numbers)) == numbers


@given(st.lists(st.floats(allow_nan=False), max_size=70))
def test_floats_read_back_with_every_bit(numbers):
    read = decode(msgpack.floats(numbers))
    assert [(n, math.copysign(1, n)) for n in read] == [(n, math.copysign(1, n)) for n in numbers]


@pytest.mark.parametrize("size", [0, 1, 15, 16, 31, 32, 255, 256, 65_535, 65_536])
def test_strings_and_arrays_of_every_width_read_back(size):
    assert decode(msgpack.string("é" * (size // 2) + "x" * (size % 2))) == "é" * (size // 2) + "x" * (size % 2)
    assert decode(msgpack.integers([7] * size)) == [7] * size
    assert decode(msgpack.floats([0.5] * size)) == [0.5] * size
    assert decode(msgpack.unsigned(size)) == size


VALUES = st.one_of(st.floats(), st.integers(-(2**70), 2**70))
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["", "p/"]),
        st.integers(0, 2**63 - 1),
        st.floats(0, 2e9),
        st.dictionaries(st.sampled_from("abcde"), VALUES, max_size=5),
    ),
    max_size=30,
)


@given(CALLS)
def test_columns_hold_every_point_once_and_in_order_for_each_series(calls):
    found = columns.columns(calls, SeriesKeys(), _no_refusal, lambda: None)
    read = [decode(columns.encoded("r", "s", 1, one, lambda: None)) for one in columns.batches(found)]
    wanted: dict[str, list[Any]] = {}
    for prefix, step, ts, values in calls:
        for name, value in values.items():
            wanted.setdefault(prefix + name, []).append((step, ts, float(value)))
    for batch in read:
        for series in batch["series"]:
            points = [one for one in wanted[series["key"]] if math.isfinite(one[2])]
            assert list(zip(series["steps"], series["ts"], series["values"], strict=True)) == points
            invalid = [(one["step"], one["ts"], one["kind"]) for one in series.get("invalid", [])]
            kinds = [(s, t, columns.invalid_kind(v)) for s, t, v in wanted.pop(series["key"]) if not math.isfinite(v)]
            assert invalid == kinds
    assert wanted == {}


def test_batches_hold_at_most_2048_points():
    calls = [("", step, 0.0, {f"k{index}": 1.0 for index in range(7)}) for step in range(1000)]
    found = columns.columns(calls, SeriesKeys(), _no_refusal, lambda: None)
    sizes = [sum(one.points() for one in batch.values()) for batch in columns.batches(found)]
    assert sum(sizes) == 7000
    assert max(sizes) <= contract.POINTS_PER_BATCH


@pytest.mark.parametrize("value", [True, None, "1", b"2", [], [1, "x"], {"a": 1}, object(), 1j])
def test_no_number_is_made_of_something_else(value):
    with pytest.raises((NoNumber, TypeError)):
        as_number(value)


@pytest.mark.parametrize(("value", "step"), [(0, 0), (7.0, 7), (2**63 - 1, 2**63 - 1)])
def test_a_step_may_come_as_a_whole_float(value, step):
    assert as_step(value) == step


@pytest.mark.parametrize("value", [-1, 2**63, 0.5, True, "1", math.nan, math.inf])
def test_a_step_is_a_whole_number_below_2_to_63(value):
    with pytest.raises((NoNumber, OverflowError)):
        as_step(value)


@pytest.mark.parametrize(
    "name", ["HF_TOKEN", "aws_secret_access_key", "apiKey", "WANDB_API_KEY", "db.password", "authorization", "MY_PAT"]
)
def test_a_name_that_tells_of_a_secret_is_noticed(name):
    assert names_a_secret(name)
    assert kept(name, "x") == "[redacted]"


@pytest.mark.parametrize(
    "name", ["pad_token", "eos_token_id", "max_tokens", "num_tokens", "author", "key", "tokenizer"]
)
def test_a_tokenizer_has_no_secrets(name):
    assert not names_a_secret(name)


def test_tokens_in_text_and_on_a_command_line_are_masked():
    assert redacted("got tp_ing_abc.DEF-1 and Bearer abcdefghij") == "got [redacted] and [redacted]"
    words = ["train", "--api-key", "x", "--hub-token=y", "--lr", "1", "--max-tokens", "5"]
    assert redacted_command(words) == [
        "train", "--api-key", "[redacted]", "--hub-token=[redacted]", "--lr", "1", "--max-tokens", "5"
    ]  # fmt: skip


def test_samples_are_ten_seconds_apart_then_thirty_then_sixty():
    waits = []
    taken: list[Any] = []

    def wait(seconds):
        waits.append(seconds)
        return len(waits) == 60

    sample_until_ended(lambda: {"metrics": {"cpu.pct": 1.0}}, taken.append, wait, 10.0)
    assert waits == [10.0] * 9 + [30.0] * 40 + [60.0] * 11
    assert len(taken) == 60


def test_the_interval_is_never_below_five_seconds():
    assert interval_from({}) == 10.0
    assert interval_from({"TUNEPLANE_JOB_MONITOR_INTERVAL": "1"}) == 5.0
    assert interval_from({"TUNEPLANE_JOB_MONITOR_INTERVAL": "soon"}) == 10.0
    assert interval_from({"TUNEPLANE_JOB_MONITOR_INTERVAL": "20"}, 7.0) == 7.0
    assert seconds_until_next(1, 0.0) == 5.0
    assert seconds_until_next(60, 90.0) == 90.0


@pytest.mark.parametrize(
    ("env", "samples"),
    [
        ({}, True),
        ({"RANK": "0", "LOCAL_RANK": "1"}, True),
        ({"RANK": "1", "LOCAL_RANK": "0"}, False),
        ({"LOCAL_RANK": "3"}, False),
        ({"RANK": "first"}, True),
        ({"TUNEPLANE_JOB_MONITORED": "1"}, False),
    ],
)
def test_rank_zero_alone_samples(env, samples):
    assert samples_here(env) is samples


def test_a_failed_sample_costs_only_itself():
    def fail():
        raise OSError

    sample_until_ended(fail, _no_refusal, lambda seconds: True, 5.0)


def test_this_machine_is_read_with_and_without_psutil(monkeypatch):

    machine = Machine()
    machine._psutil = None
    found = machine.read(os.getpid(), process_tree(os.getpid()))
    assert {"mem.pct", "mem.proc.avail", "mem.proc", "mem.proc.pct", "cpu.thds"} <= set(found)
    assert 0 < found["mem.pct"] < 100
    monitored: list[Any] = []
    monitor = Monitor(5.0)
    monitor.start(monitored.append)
    monitor.stop()
    assert monitor._thread is not None
    monitor._thread.join(10)
    assert monitored[0]["pid"] == os.getpid()
    assert monitored[0]["gpu_attribution"] in ("pid", "sticky", "mem", "none")


class Lost(Exception):
    """What NVML raises for a GPU that fell off the bus; of no common base with its other errors."""


class Nvml:
    """Two GPUs; the second may be lost."""

    class Use:
        gpu, memory = 87, 40

    class Memory:
        total, used = 150 * 2**30, 75 * 2**30

    class Process:
        pid = 42

    def __init__(self, *, lost=False, pids=True):
        self.lost, self.pids = lost, pids

    def _whole(self, handle):
        if self.lost and handle == 1:
            raise Lost

    def nvmlInit(self): ...  # noqa: N802 - the binding's names

    def nvmlShutdown(self): ...  # noqa: N802

    def nvmlDeviceGetCount(self):  # noqa: N802
        return 2

    def nvmlDeviceGetHandleByIndex(self, index):  # noqa: N802
        return index

    def nvmlDeviceGetUUID(self, handle):  # noqa: N802
        return f"GPU-{handle}".encode()

    def nvmlDeviceGetUtilizationRates(self, handle):  # noqa: N802
        self._whole(handle)
        return self.Use

    def nvmlDeviceGetMemoryInfo(self, handle):  # noqa: N802
        self._whole(handle)
        return self.Memory

    def nvmlDeviceGetTemperature(self, handle, sensor):  # noqa: N802
        return 61

    def nvmlDeviceGetPowerUsage(self, handle):  # noqa: N802
        raise Lost

    def nvmlDeviceGetComputeRunningProcesses(self, handle):  # noqa: N802
        return [self.Process] if self.pids and handle == 1 else []


def test_a_field_missing_costs_no_other_field_and_a_lost_gpu_no_other_gpu():
    found = Gpus(Nvml(lost=True, pids=False)).read(frozenset())
    assert found.metrics == {"gpu.0.pct": 87, "gpu.0.mem.time": 40, "gpu.0.mem.value": 76800, "gpu.0.mem.pct": 50,
                             "gpu.0.temp": 61}  # fmt: skip
    assert found.attribution == "mem"


def test_gpus_are_attributed_by_process_and_stay_so():
    nvml = Nvml()
    gpus = Gpus(nvml)
    assert gpus.read(frozenset({42})).uuids == {"1": "GPU-1"}
    nvml.pids = False
    later = gpus.read(frozenset({42}))
    assert (later.attribution, later.uuids) == ("sticky", {"1": "GPU-1"})
    assert "gpu.1.temp" in later.metrics


def test_a_machine_without_gpus_has_no_gpu_metrics():
    class Broken:
        def nvmlInit(self):  # noqa: N802
            raise Lost

    found = Gpus(Broken()).read(frozenset())
    assert (found.metrics, found.uuids, found.attribution) == ({}, {}, "none")
    assert Gpus(Broken()).inventory() == {}
