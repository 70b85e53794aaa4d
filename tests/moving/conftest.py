"""Moving in, as a person does it: the command, and a real server to bring things to."""

import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tuneplane.moving.trackers import TRACKERS

from tests.end_to_end.api import Api
from tests.end_to_end.conftest import api, server
from tests.moving.samples import SAMPLES

__all__ = ["api", "server"]


class Done(NamedTuple):
    """A command that ended."""

    code: int
    out: str
    err: str

    def row(self, name: str) -> dict[str, str]:
        """The table's row of one run, by its heads."""
        lines = self.out.splitlines()
        heads = ("attempts", "points", "there before", "not finite", "histograms", "left out", "not read")
        row = next(line for line in lines[1:] if line.startswith(f"{name}  "))
        cells = row[len(name) :].split()
        return {"page": cells[0], **dict(zip(heads, cells[1:], strict=True))}

    def run_id(self, name: str) -> str:
        return self.row(name)["page"].rpartition("/")[2]


Bring = Callable[..., Done]


@pytest.fixture
def bring(api: Api, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bring:
    """`bring("wandb", folder, "--label", "x")`."""
    monkeypatch.setenv("TUNEPLANE_SERVER", api.url)
    monkeypatch.setenv("TUNEPLANE_TOKEN", api.token)

    def command(tracker: str, *arguments: object) -> Done:
        capsys.readouterr()
        code = import_module(TRACKERS[tracker].module).main([str(one) for one in arguments])
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return command


@pytest.fixture
def sample(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a folder of samples, to be changed."""

    def copied(name: str) -> Path:
        shutil.copytree(SAMPLES / name, tmp_path / name)
        return tmp_path / name

    return copied


class Held:
    """A run as the server shows it, once it has taken in everything."""

    def __init__(self, api: Api, run_id: str) -> None:
        self._api = api
        self.run_id = run_id
        # Opening an attempt elsewhere gives a position behind everything that was sent before.
        self.position = api.open_run("a mark").position

    def get(self, path: str = "", **query: Any) -> Any:
        return self._api.get(f"/api/runs/{self.run_id}{path}", min_position=self.position, **query)

    def points(self, key: str) -> dict[int, float]:
        """The surviving values by step."""
        column = self.get("/series/data", key=key)[key]
        return dict(zip(column["step"], column["last"], strict=True))

    def events(self) -> list[int]:
        """Positions of everything that was ever recorded of it."""
        return [one["position"] for one in self.get("/events", limit=1000)["items"]]


@pytest.fixture
def held(api: Api) -> Callable[[str], Held]:
    return lambda run_id: Held(api, run_id)
