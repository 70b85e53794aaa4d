"""What this client sends, to the byte: published clients go on sending it for years, and servers must go on taking it.

A golden file is added, never edited. Each was read by hand against CONTRACT.md and RULINGS "Columnar metrics".
"""

from pathlib import Path

import pytest
from tuneplane.columns import Logged
from tuneplane.credentials import Credentials
from tuneplane.parcels import Parcel, Requests

GOLDEN = Path(__file__).parent / "golden"
TOKEN = "tp_ing_not-a-real-one"
EVENT = {
    "id": "e1",
    "kind": "histogram",
    "name": "rollout/policy_age",
    "ts": "2026-12-01T00:00:00+00:00",
    "step": 3,
    "values": {"unit": "policy_versions"},
    "bounds": [0, 1.5],
    "counts": [1, 2, 3],
}
SAMPLE = {
    "hostname": "node-one",
    "pid": 7,
    "ts": "2026-12-01T00:00:00+00:00",
    "metrics": {"cpu.pct": 50.0, "gpu.0.pct": 97.0},
    "gpu_uuids": {"0": "GPU-1"},
    "gpu_attribution": "pid",
}
CALLS: list[Logged] = [
    ("train/", 1, 1_780_272_000.25, {"loss": 0.5, "lr": 3e-4}),
    ("train/", 2, 1_780_272_001.5, {"loss": float("nan"), "lr": 3e-4}),
    ("", 9_000_000_000, 1_780_272_002.0, {"tokens": 2**53}),
]


def refuse(key: str, reason: str) -> None:
    pytest.fail(f"refused {key}: {reason}")


@pytest.fixture
def messages() -> dict[str, Parcel]:
    requests = Requests(Credentials("http://127.0.0.1:1/api/ingest", "run-1", TOKEN, 0), "0123456789abcdef")
    found = {
        "metrics": requests.pack_points(CALLS, refuse),
        "observations": requests.pack_events([EVENT], {"version": 1}),
        "hparams": requests.pack_hparams({"lr": 1e-5, "name": "größe"}),
        "hardware": requests.pack_samples([SAMPLE]),
    }
    requests.close()
    assert all(len(parcels) == 1 for parcels in found.values())
    return {name: parcels[0] for name, parcels in found.items()}


@pytest.mark.parametrize("name", ["metrics", "observations", "hparams", "hardware"])
def test_the_bytes_of_a_message_stay_as_they_were_released(messages, name):
    golden = bytes.fromhex((GOLDEN / f"{name}.hex").read_text())

    assert messages[name].body == golden
    assert messages[name].path == name


@pytest.mark.parametrize("name", ["metrics", "observations", "hparams", "hardware"])
def test_no_message_holds_the_token(messages, name):
    assert TOKEN.encode() not in messages[name].body
