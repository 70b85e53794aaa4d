"""Packed columns: what is stored for ever, in how many bytes, and that every int64 survives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from application.series.columns import Batch, empty_batch, pack, pack_each, unpack, unpack_series
from domain.events.series import Columns

NOW = 1_767_225_600_000_000


def a_batch(*series: tuple[int, list[int], list[int], list[float]]) -> Batch:
    """Of (number, steps, times, values)."""
    return Batch(
        numbers=np.array([number for number, *_ in series], np.int64),
        counts=np.array([len(steps) for _, steps, *_ in series], np.int64),
        steps=np.array([step for _, steps, _, _ in series for step in steps], np.int64),
        times=np.array([time for _, _, times, _ in series for time in times], np.int64),
        values=np.array([value for *_, values in series for value in values], np.float64),
    )


def size_of(columns: Columns) -> int:
    return sum(len(getattr(columns, name)) for name in columns.__struct_fields__)


def same(one: Batch, other: Batch) -> bool:
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in one.__struct_fields__)


def test_the_stored_bytes_of_one_series_stay_as_they_are():
    columns = pack(a_batch((3, [0, 1, 2, 12], [NOW, NOW + 10, NOW + 20, NOW + 1030], [0.5, -0.0, 1e300, 2.0])))

    assert columns == Columns(
        numbers=bytes.fromhex("01000000 00 0000000000000000 0300000000000000"),
        counts=bytes.fromhex("00 0000000000000000 0400000000000000"),
        steps=bytes.fromhex("01 0100000000000000 0000000000000000 000009"),
        times=bytes.fromhex("02 0a00000000000000 0040204648470600 0000 0000 e803"),
        values=np.array([0.5, -0.0, 1e300, 2.0], "<f8").tobytes(),
    )


def test_the_stored_bytes_of_several_series_stay_as_they_are():
    columns = pack(a_batch((1, [5, 7], [0, 1], [1.0, 2.0]), (2, [5, 7], [300, 500], [3.0, 4.0]), (9, [1], [2], [5.0])))

    assert columns.numbers == bytes.fromhex("03000000 01 0100000000000000 0100000000000000 0006")
    assert columns.counts == bytes.fromhex("01 ffffffffffffffff 0200000000000000 0100")
    assert columns.steps == bytes.fromhex("00 0200000000000000" + "01 fcffffffffffffff 0500000000000000 0400")
    assert columns.times == bytes.fromhex(
        "01 0100000000000000" + "02 d6feffffffffffff 0000000000000000 5602 0000" + "00 c7"
    )


def test_series_that_share_their_steps_store_them_once():
    steps = [3, 4, 9]
    columns = pack(a_batch(*((number, steps, steps, [0.0, 1.0, 2.0]) for number in (1, 2, 3))))

    assert columns.steps == bytes.fromhex("11 0100000000000000 0300000000000000 0004")


def test_no_points_are_stored_as_none():
    columns = pack(empty_batch())

    assert columns == Columns(bytes(4), b"", b"", b"", b"")
    assert same(unpack(columns), empty_batch())


def test_a_wide_batch_takes_its_values_and_about_a_hundred_bytes():
    columns = pack(a_batch(*((number, [77], [NOW], [float(number)]) for number in range(1, 2049))))

    assert size_of(columns) <= 8 * 2048 + 100


def test_a_narrow_batch_takes_its_values_and_little_for_jittering_times():
    jitter = np.random.default_rng(0).integers(0, 40_000, 205)
    times = (NOW + np.arange(205) * 100_000 + jitter).tolist()
    columns = pack(a_batch(*((number, list(range(205)), times, [0.1] * 205) for number in range(1, 11))))

    assert size_of(columns) <= 8 * 2050 + 4 * 205 + 100


_INT64 = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.sampled_from([0, 1, 2**63 - 1, -(2**63), 2**62]), st.integers(0, 300)
)
_SERIES = st.lists(st.tuples(_INT64, _INT64, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=9)


@given(st.lists(st.tuples(st.integers(1, 4096), _SERIES), max_size=6))
def test_every_int64_survives(series):
    batch = a_batch(*((number, *map(list, zip(*points, strict=True))) for number, points in series))

    assert same(unpack(pack(batch)), batch)


@given(st.lists(st.lists(_INT64, min_size=1, max_size=9), min_size=1, max_size=6))
def test_series_packed_each_by_itself_are_read_back_each_by_itself(series):
    values = np.array([value for each in series for value in each], np.int64)
    packed = pack_each(values, np.array([len(each) for each in series]))

    assert [unpack_series(data, len(each)).tolist() for data, each in zip(packed, series, strict=True)] == series


@given(st.lists(_INT64, min_size=1, max_size=9))
def test_one_series_packs_alike_by_itself_and_in_a_batch(values):
    batch = a_batch((1, values, values, [0.0] * len(values)))

    assert pack_each(batch.steps, batch.counts) == [pack(batch).steps]


@pytest.mark.parametrize(
    "broken",
    [
        {"steps": b"\x09" + bytes(40)},
        {"values": b"123"},
        {"values": bytes(32)},
        {"times": bytes(5)},
        {"numbers": b""},
        {"numbers": b"\xff\xff\xff\xff" + bytes(17)},
        {"counts": bytes(9) + b"\xff" * 8},
        {"counts": bytes(17)},
    ],
)
def test_bytes_that_are_no_columns_are_refused(broken):
    good = pack(a_batch((1, [1, 2, 9], [1, 2, 3], [1.0, 2.0, 3.0])))
    columns = Columns(*(broken.get(name, getattr(good, name)) for name in good.__struct_fields__))

    with pytest.raises(ValueError, match=r"."):
        unpack(columns)
