"""The reader of event files: equal to TensorBoard's own, and honest about every byte it cannot read."""

import json
import math
import struct
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tuneplane.integrations.tensorboard import items, runs
from tuneplane.moving.crc32c import crc32c, masked
from tuneplane.moving.protobuf import Torn, fields
from tuneplane.moving.source import Configuration, Distribution, LeftOut, Stage, Waiting
from tuneplane.moving.tensorboard_events import EventReader
from tuneplane.moving.tfrecord import Records

from tests.environments import clean_variables, environment
from tests.moving.samples import BEGUN, SAMPLES, TORCH, beginning, event_file, field, points_of, record, scalar

FILES = sorted((SAMPLES / "tensorboard").rglob("*tfevents*"))
BY_TENSORBOARD = """
import json, sys
from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader
from tensorboard.util import tensor_util
found = []
for event in LegacyEventFileLoader(sys.argv[1]).Load():
    for value in event.summary.value:
        if value.HasField("simple_value"):
            number = value.simple_value
        elif value.HasField("tensor") and value.tensor.dtype != 7 and not value.tensor.tensor_shape.dim:
            number = float(tensor_util.make_ndarray(value.tensor))
        else:
            continue
        found.append([value.tag, event.step, event.wall_time.hex(), float(number).hex()])
print(json.dumps(found))
"""


def points(path):
    return points_of(items(path))


@pytest.mark.packages
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}{path.suffix}")
def test_every_scalar_is_what_tensorboard_itself_reads(path):
    python = environment("tensorboard", "tensorboard==2.21.0")
    done = subprocess.run(
        [python, "-c", BY_TENSORBOARD, path], env=clean_variables(), capture_output=True, text=True, check=True
    )
    ours = [[key, step, ts.hex(), value.hex()] for key, step, ts, value in points(path)]
    assert ours == json.loads(done.stdout.splitlines()[-1])


def test_the_scalars_of_a_real_log_are_those_that_were_written():
    (path,) = TORCH.glob("events*")
    found = points(path)
    assert len(found) == 158
    odd = [str(value) for _, _, _, value in found if not math.isfinite(value)]
    assert sorted(odd) == ["inf", "nan"]


def test_the_checksum_is_the_published_one():
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"") == 0


def test_a_file_cut_anywhere_gives_what_is_whole_and_goes_on_when_it_grows(tmp_path):
    parts = [beginning(), scalar("a", 1, 1.0), scalar("a", 300, 2.0)]
    whole, path = b"".join(parts), tmp_path / "events.out.tfevents.1"
    for at in range(len(whole)):
        path.write_bytes(whole[:at])
        records = Records(path)
        begun = list(records)
        complete = sum(len(b"".join(parts[: n + 1])) <= at for n in range(3))
        assert (len(begun), records.fault) == (complete, "")
        assert records.waiting == at - len(b"".join(parts[:complete]))
        path.write_bytes(whole)
        assert len(list(records)) == 3 - complete


def test_a_turned_bit_is_found_wherever_it_is(tmp_path):
    whole = beginning() + scalar("a", 1, 1.0)
    path, first = tmp_path / "events.out.tfevents.1", len(beginning())
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes((whole[at] ^ 0x10,)) + whole[at + 1 :])
        records = Records(path)
        assert len(list(records)) == (0 if at < first else 1)
        assert records.fault.startswith(f"byte {0 if at < first else first}: the checksum of a record's")


def test_a_length_that_cannot_be_is_no_reason_to_read_a_terabyte(tmp_path):
    path = tmp_path / "events.out.tfevents.1"
    length = struct.pack("<Q", 1 << 40)
    path.write_bytes(length + struct.pack("<I", masked(length)))
    records = Records(path)
    assert list(records) == []
    assert records.fault == "byte 0: a record of 1099511627776 bytes, which are not there"


@given(st.binary(max_size=200))
def test_bytes_that_are_no_message_are_torn_and_nothing_else(message):
    reader = EventReader()
    for payload in (message, field(5, field(1, message[:60])), field(5, field(1, field(8, message[:50])))):
        try:
            list(reader.items(payload))
            list(fields(payload))
        except Torn:
            continue


def test_a_record_that_is_no_event_is_said_and_the_next_ones_are_read(tmp_path):
    path = event_file(tmp_path, beginning(), record(b"\xff" * 11), scalar("a", 1, 1.0))
    found = list(items(path))
    assert found[0].reason.startswith(
        f"{path.name}: the record that ends at byte {len(beginning()) + 27}: byte 0: a varint"
    )
    assert found[1][:2] == ("a", 1)


def test_tensors_of_every_width_are_widened_exactly():
    (path,) = (SAMPLES / "tensorboard" / "real" / "histograms").iterdir()
    found = list(items(path))
    assert [(one[0], one[3]) for one in points_of(found)] == [
        ("t/float16", 0.0),
        ("t/float64", 2.0),
        ("t/int64", 4.0),
        ("t/float32", 6.0),
    ]
    assert [one for one in found if isinstance(one, Distribution)] == [
        Distribution("weights", 3, 1796000002.0, [1.0, 2.0, 3.0], [5, 0, 7, 0]),
        Distribution("weights", 4, 1796000003.0, [1.0, 2.0], [2, 3, 0]),
    ]


def test_a_session_end_without_a_time_says_nothing_of_how_it_ended():
    (path,) = (TORCH / "hparams").iterdir()
    found = list(items(path))
    assert not [one for one in found if isinstance(one, Stage)]
    assert LeftOut("session end without a time") in found
    assert [one.params for one in found if isinstance(one, Configuration)] == [{"lr": 1e-05, "bs": 8, "opt": "adamw"}]


def test_the_end_that_is_still_written_is_no_fault(tmp_path):
    path = event_file(tmp_path, beginning(), scalar("a", 1, 1.0)[:-1])
    (said,) = items(path)
    assert isinstance(said, Waiting)


def test_files_are_attempts_in_the_order_they_were_begun_whatever_they_are_called(tmp_path):
    event_file(tmp_path, beginning(BEGUN + 9), scalar("a", 2, 2.0), name="a.tfevents")
    event_file(tmp_path, beginning(BEGUN), scalar("a", 1, 1.0), name="b.tfevents")
    (run,) = runs(tmp_path, lambda _: None)
    assert [points_of(part.items())[0][1] for part in run.parts] == [1, 2]
