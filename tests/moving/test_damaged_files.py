"""Whatever has become of a file, it is read as far as that goes or refused by name: nothing else is ever raised."""

import random
import shutil
from importlib import import_module

import pytest
from tuneplane.moving.protobuf import Torn
from tuneplane.moving.source import RefusedRun, SourceRefused
from tuneplane.moving.trackers import TRACKERS

from tests.moving.samples import SAMPLES, points_of


def damage(content, chance):
    """A byte turned, some lost, some come in, or the rest gone."""
    at, kind = chance.randrange(len(content) or 1), chance.randrange(4)
    lost = (1, chance.randrange(40), 0, len(content))[kind]
    more = (1, 0, chance.randrange(9), 0)[kind]
    return content[:at] + chance.randbytes(more) + content[at + lost :]


@pytest.mark.parametrize("tracker", TRACKERS)
@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_file_is_read_or_refused(tmp_path, tracker, seed):
    chance = random.Random(f"{tracker} {seed}")
    root = tmp_path / tracker
    shutil.copytree(SAMPLES / tracker, root)
    files = sorted(path for path in root.rglob("*") if path.is_file())
    for path in chance.sample(files, min(len(files), 3)):
        path.write_bytes(damage(path.read_bytes(), chance))
    for run in import_module(TRACKERS[tracker].module).runs(root, lambda _: None):
        if isinstance(run, RefusedRun):
            assert any(path.name in run.reason for path in files)
            continue
        for part in run.parts:
            try:
                found = points_of(part.items())
            except (SourceRefused, Torn):
                continue
            assert {tuple(map(type, point)) for point in found} <= {(str, int, float, float)}
