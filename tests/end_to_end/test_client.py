"""The client as it is published: its wheel in an environment of its own, reporting a script to a real server."""

import csv
import io
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.end_to_end.api import Api
from tests.end_to_end.installation import ServerProcess, environment
from tests.end_to_end.live_reader import LiveReader
from tests.end_to_end.waiting import until

SDK = Path(__file__).parents[2] / "sdk"
SCRIPT = """
import sys, time
from tuneplane import report

assert report.init(hparams={"lr": 0.1, "layers": 2}, monitor_hardware=False)
for step in range(3000):
    report.log({"loss": 1 / (step + 1), "nested": {"accuracy": step / 3000}}, step=step)
    if step % 500 == 0:
        print(f"step {step} \\u00e9\\u26a1", flush=True)
report.log({"loss": float("nan")}, step=3000)
report.validation_population("r1", 3)
report.validation_outcome("r1", "t1", status="success", training_eligible=True)
report.validation_outcome("r1", "t2", status="infra_error", training_eligible=False)
report.validation_outcome("r1", "t2", status="failure", training_eligible=False, trial_attempt=1)
report.finish()
print("progress 1\\rprogress 2")
print("no end", end="")
sys.exit(int(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that holds the client's wheel and nothing else."""
    folder = tmp_path_factory.mktemp("client")
    shutil.copytree(SDK, folder / "sdk", ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    wheel: list[str | Path] = [
        "wheel",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "-w",
        folder / "wheels",
        folder / "sdk",
    ]
    subprocess.run([*pip, *wheel], check=True, timeout=120, env=environment())
    venv.create(folder / "venv", with_pip=False)
    (built,) = (folder / "wheels").glob("tuneplane-*.whl")
    python = folder / "venv" / "bin" / "python"
    install: list[str | Path] = ["--python", python, "install", "--no-deps", "--no-index", built]
    subprocess.run([*pip, *install], check=True, timeout=120, env=environment())
    return folder / "venv" / "bin"


@pytest.fixture
def client(programs: Path, server: ServerProcess, api: Api, tmp_path: Path) -> "Client":
    return Client(programs, api, tmp_path)


class Client:
    def __init__(self, programs: Path, api: Api, folder: Path) -> None:
        self.programs = programs
        self.api = api
        self.folder = folder

    def env(self) -> dict[str, str]:
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        known = environment(TUNEPLANE_SERVER=self.api.url, TUNEPLANE_TOKEN=self.api.token, PATH=path)
        return {name: value for name, value in known.items() if name != "PYTHONPATH"}

    def command(self, *arguments: str) -> list[str]:
        return [str(self.programs / "tuneplane"), *arguments]

    def run(self, code: str, *options: str, arguments: tuple[str, ...] = ()) -> subprocess.CompletedProcess[bytes]:
        script = self.folder / "train.py"
        script.write_text(code, encoding="utf-8")
        command = self.command("run", *options, "--", str(self.programs / "python"), str(script), *arguments)
        return subprocess.run(command, env=self.env(), capture_output=True, timeout=120, check=False, cwd=self.folder)


def run_of(done: subprocess.CompletedProcess[bytes]) -> str:
    """The run that a command said it reports to."""
    found = re.search(rb"/runs/(\S+)", done.stderr)
    assert found is not None, done.stderr
    return found[1].decode()


def the_head(api: Api) -> int:
    return int(api.get("/readyz")["position"])


def test_the_environment_holds_nothing_of_the_server(programs):
    listed = "import importlib.metadata as m; print(sorted(d.name for d in m.distributions()))"
    done = subprocess.run([programs / "python", "-c", listed], capture_output=True, text=True, check=True, env={})
    assert done.stdout.strip() == "['tuneplane']"


def test_a_script_is_reported_whole_and_its_exit_code_stands(client):
    done = client.run(SCRIPT, "--name", "from the wheel", "--tag", "e2e", arguments=("3",))
    assert done.returncode == 3, done.stderr
    run, api = run_of(done), client.api
    at = {"min_position": the_head(api)}
    found = api.get(f"/api/runs/{run}", **at)
    assert (found["name"], found["tags"], found["status"]) == ("from the wheel", ["e2e"], "failed")
    assert [one["event"] for one in found["attempts"][0]["lifecycle"]] == ["starting", "running", "failed"]
    assert found["counts"]["points"] == 6000
    assert (found["transport"]["dropped_points"], found["transport"]["queued_points"]) == (0, 0)
    assert api.call("GET", f"/api/runs/{run}/logs.txt").body.encode() == done.stdout
    lines = api.get(f"/api/runs/{run}/logs")
    assert lines["eof"]
    assert [line["text"] for line in lines["lines"][-2:]] == ["progress 2", "no end"]
    rows = list(csv.DictReader(io.StringIO(api.call("GET", f"/api/runs/{run}/series.csv?key=loss").body)))
    assert [(int(row["step"]), float(row["value"])) for row in rows] == [(step, 1 / (step + 1)) for step in range(3000)]
    series = {one["key"]: one for one in api.get(f"/api/runs/{run}/series")["items"]}
    assert series["nested.accuracy"]["count"] == 3000
    assert series["loss"]["invalid"]["nan"] == 1
    params = api.get(f"/api/runs/{run}/hparams")["params"]
    assert (params["lr"], params["layers"]) == (0.1, 2)
    (round_,) = api.get(f"/api/runs/{run}/validation/rounds")["items"]
    assert (round_["expected"], round_["success"], round_["failure"], round_["not_reported"]) == (3, 1, 1, 1)
    (receipt,) = api.get(f"/api/runs/{run}/delivery")["items"]
    assert [(line["what"], line["sent"], line["stored"], line["verdict"]) for line in receipt["lines"]] == [
        ("points", 6001, 6001, "reconciled"),
        ("events", 4, 4, "reconciled"),
        ("log bytes", len(done.stdout), len(done.stdout), "reconciled"),
    ]
    described = api.get(f"/api/runs/{run}/environment")
    assert "tuneplane==" in described["packages"]
    assert "litestar" not in described["packages"]
    assert described["overview"]["command"][-1] == "3"


def test_a_command_that_succeeds_is_seen_live_and_ends_its_stream(client):
    flag = client.folder / "go on"
    waiting = (
        f"import os, time\nprint('begun', flush=True)\nwhile not os.path.exists({str(flag)!r}): time.sleep(0.01)\n"
    )
    command = client.command("run", "--name", "live", "--", str(client.programs / "python"), "-c", waiting)
    with subprocess.Popen(command, env=client.env(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        page = process.stderr.readline().decode()
        run = page.split("/runs/")[1].split()[0]
        with LiveReader(client.api, run, "logs,lifecycle") as reader:
            reader.await_lines(1)
            flag.touch()
            assert process.wait(60) == 0
            until(lambda: reader.ended, "the end of the live stream")
            assert reader.lines() == [(0, 0, "begun")]
            assert reader.connections == 1
    at = {"min_position": the_head(client.api)}
    assert client.api.get(f"/api/runs/{run}", **at)["status"] == "succeeded"


def test_another_attempt_of_a_run_continues_its_curve(client):
    log = """
from tuneplane import report
for step in range({}, {}):
    report.log({{"loss": {}}}, step=step)
report.finish()
"""
    first = client.run(log.format(0, 10, "1.0"), "--name", "twice")
    run = run_of(first)
    second = client.run(log.format(6, 12, "2.0"), "--run-id", run)
    assert (first.returncode, second.returncode, run_of(second)) == (0, 0, run)
    at = {"min_position": the_head(client.api)}
    assert client.api.get(f"/api/runs/{run}", **at)["attempt"] == 1
    chart = client.api.get(f"/api/runs/{run}/series/data", key="loss", **at)["loss"]
    assert chart["step"] == list(range(12))
    assert chart["last"] == [1.0] * 6 + [2.0] * 6


def test_the_doctor_finds_a_sound_installation_sound(client):
    done = subprocess.run(
        client.command("doctor"), env=client.env(), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert client.api.token not in done.stdout + done.stderr


def test_the_doctor_says_which_token_is_no_good(client):
    env = {**client.env(), "TUNEPLANE_TOKEN": "tp_pat_0000000000000000_nonsense"}
    done = subprocess.run(client.command("doctor"), env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "TUNEPLANE_TOKEN" in done.stdout
