"""W&B's transaction logs become runs: counted by hand in what `wb.py` logged with wandb 0.31."""

import math
import struct
import zlib

import pytest
from tuneplane.integrations import wandb
from tuneplane.moving.wandb_log import LogRecords

from tests.moving.samples import SAMPLES, points_of


def test_history_config_summary_and_exit_of_an_offline_run_arrive(bring, held):
    # 30 rows of train/loss and nested.acc (a NaN and an infinity among the first), one eval/score at step 40, three
    # texts, three histograms; the resumed directory has five train/loss at steps 20 to 24.
    done = bring("wandb", SAMPLES / "wandb")
    assert done.code == 0
    row = done.row("first try")
    assert (row["attempts"], row["points"], row["not finite"]) == ("2", "66", "2")
    assert (row["histograms"], row["left out"], row["not read"]) == ("3", "3", "0")
    assert "first try: left out, no place for it here: text 3" in done.out
    run = held(done.run_id("first try"))
    head = run.get()
    assert head["tags"] == ["imported", "wandb", "baseline", "qwen"]
    assert head["notes"].startswith("Some notes\nW&B run demo/abc12345\n")
    assert [one["status"] for one in head["attempts"]] == ["succeeded", "succeeded"]
    loss = run.points("train/loss")
    assert sorted(loss) == [*range(7), *range(9, 20), *range(20, 25)]
    assert (loss[0], loss[19], loss[20]) == (1.0, 1 / 20, 0.5)
    assert run.points("eval/score") == {40: 0.5}
    assert run.points("nested.acc")[29] == 29 / 30
    assert run.get("/hparams", attempt=0)["params"] == {
        "lr": 0.001,
        "optim.name": "adam",
        "optim.betas": [0.9, 0.99],
        "late": True,
    }
    (summary,) = run.get("/observations", name="wandb.summary")["items"]
    assert summary["values"] == {"best": 0.9}
    histogram = next(one for one in run.get("/observations", kind="histogram")["items"] if one["step"] == 10)
    assert (sum(histogram["counts"]), histogram["name"]) == (5, "hist")


def test_a_run_that_ended_with_a_code_failed_at_a_time_nobody_said(bring, held):
    run = held(bring("wandb", SAMPLES / "wandb").run_id("crashed"))
    (attempt,) = run.get()["attempts"]
    assert [one["event"] for one in attempt["lifecycle"]] == ["running", "failed"]
    assert attempt["lifecycle"][0]["ts"].startswith("2026-12-02T05:20:31.86")
    assert attempt["lifecycle"][1]["ts"] is None


def test_importing_twice_changes_nothing(bring, held):
    done = bring("wandb", SAMPLES / "wandb")
    before = {name: held(done.run_id(name)).events() for name in ("first try", "crashed")}
    again = bring("wandb", SAMPLES / "wandb")
    assert (again.row("first try")["points"], again.row("first try")["there before"]) == ("0", "66")
    assert {name: held(done.run_id(name)).events() for name in before} == before


def test_a_log_that_is_still_written_is_imported_as_far_as_it_is_complete(bring, held, sample):
    folder = sample("wandb") / "offline-run-20261202_052030-abc12345"
    path = folder / "run-abc12345.wandb"
    whole = path.read_bytes()
    path.write_bytes(whole[:9000])
    first = bring("wandb", folder, "--label", "cut")
    assert first.code == 0
    assert "bytes are a record that is not complete yet" in first.out
    early = int(first.row("first try")["points"])
    path.write_bytes(whole)
    second = bring("wandb", folder, "--label", "cut")
    assert 0 < early < 61
    assert (int(second.row("first try")["points"]), int(second.row("first try")["there before"])) == (61 - early, early)
    counts = held(first.run_id("first try")).get()["counts"]
    assert (counts["points"], counts["invalid_points"], counts["set_aside"]) == (59, 2, 0)


def test_every_cut_and_every_turned_bit_is_read_up_to_there_or_refused_by_name(tmp_path):
    source = SAMPLES / "wandb" / "offline-run-20261202_052031-crash001" / "run-crash001.wandb"
    whole, path = source.read_bytes(), tmp_path / source.name
    complete = points_of(wandb.items(source))
    assert [(key, step, value) for key, step, _, value in complete] == [("loss", 0, 1.0)]
    for at in range(len(whole)):
        path.write_bytes(whole[:at])
        found = [points_of(one.parts[0].items()) for one in wandb.runs(tmp_path, lambda _: None)]
        assert found in ([], [[]], [complete])
    for at in range(7, len(whole)):
        path.write_bytes(whole[:at] + bytes((whole[at] ^ 1,)) + whole[at + 1 :])
        reasons: list[str] = []
        for one in wandb.runs(tmp_path, reasons.append):
            reasons += [one.reason] if hasattr(one, "reason") else [str(item) for item in one.parts[0].items()]
        assert any(path.name in reason and "byte" in reason for reason in reasons), at


def test_a_file_that_is_none_of_wandbs_is_refused(bring, tmp_path):
    (tmp_path / "run-x.wandb").write_bytes(b"GIF89a")
    done = bring("wandb", tmp_path)
    assert done.code == 1
    assert "run-x.wandb: byte 0: a W&B transaction log begins with :W&B and 0xBEE1" in done.out


def test_not_a_number_is_kept_as_that(tmp_path):
    path = SAMPLES / "wandb" / "offline-run-20261202_052030-abc12345" / "run-abc12345.wandb"
    odd = [one for one in points_of(wandb.items(path)) if not math.isfinite(one[3])]
    assert [(key, step, str(value)) for key, step, _, value in odd] == [
        ("train/loss", 7, "nan"),
        ("train/loss", 8, "inf"),
    ]


def test_a_log_of_more_than_one_block_is_read_through():
    (path,) = (SAMPLES / "wandb-long").rglob("*.wandb")
    assert path.stat().st_size > 32_768
    found = sorted((key, step, value) for key, step, _, value in points_of(wandb.items(path)))
    assert found == [*(("a", step, float(step)) for step in range(160)), *(("b", n, -n / 2) for n in range(160))]


def framed(*records):
    """The records as the format's description has them written."""
    out = bytearray(b":W&B\xe1\xbe\x00")
    for content in records:
        left, first = content, True
        while first or left:
            room = 32_768 - len(out) % 32_768
            if room < 7:
                out += bytes(room)
                continue
            piece, left = left[: room - 7], left[room - 7 :]
            kind = bytes([(1 if first else 4) if not left else (2 if first else 3)])
            out += struct.pack("<IH", zlib.crc32(kind + piece), len(piece)) + kind + piece
            first = False
    return bytes(out)


@pytest.mark.parametrize("room", range(12))
def test_records_are_read_whatever_room_a_block_had_left(tmp_path, room):
    path = tmp_path / "run-x.wandb"
    records = [b"a" * (32_768 - 7 - 7 - room), b"b" * 5, b"c" * 70_000, b"", b"d"]
    path.write_bytes(framed(*records))
    found = LogRecords(path)
    assert list(found) == records
    assert (found.fault, found.waiting) == ("", 0)


@pytest.mark.parametrize(
    ("kinds", "read"), [((1, 1), 2), ((2, 1), 0), ((3, 4), 0), ((4,), 0), ((1, 3), 1), ((2, 3, 4), 1)]
)
def test_pieces_out_of_order_are_no_record(tmp_path, kinds, read):
    path = tmp_path / "run-x.wandb"
    pieces = [bytes([kind]) + b"x" for kind in kinds]
    path.write_bytes(b":W&B\xe1\xbe\x00" + b"".join(struct.pack("<IH", zlib.crc32(one), 1) + one for one in pieces))
    found = LogRecords(path)
    assert len(list(found)) == read
    assert bool(found.fault) == (kinds not in ((1, 1), (2, 3, 4)))


def test_directories_of_a_run_are_attempts_in_order_of_time_whether_they_were_offline_or_not(sample):
    root = sample("wandb")
    (root / "offline-run-20261202_052031-abc12345").rename(root / "run-20261202_052029-abc12345")
    found = {run.name: [part.identity for part in run.parts] for run in wandb.runs(root, lambda _: None)}
    assert found["first try"] == ["run-20261202_052029-abc12345", "offline-run-20261202_052030-abc12345"]
