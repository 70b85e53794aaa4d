"""Commands explain themselves, say what to do when they fail, and import little before they run."""

import ast
import logging
import stat
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from application.credentials import mint
from entrypoints.cli import doctor, main
from entrypoints.cli.demo import FOLDER
from entrypoints.cli.events import _written
from entrypoints.cli.failure import CommandFailed
from entrypoints.cli.serve import check_exposure, is_loopback
from entrypoints.logging_setup import OneLine
from entrypoints.settings import Settings

ROOT = Path(__file__).parents[2]
COMMANDS = [
    ["serve"],
    ["project"],
    ["migrate"],
    ["doctor"],
    ["projections"],
    *(["projections", action] for action in ("status", "rebuild", "compare", "promote", "drop")),
    ["events"],
    *(["events", action] for action in ("replay", "verify", "export", "import")),
    ["user"],
    *(["user", action] for action in ("create", "password", "grant")),
    ["token"],
    ["token", "create"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main.main([*command, "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: tuneplane-server {' '.join(command)}")
    assert len(said.splitlines()) > 3


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["user"], ["events", "replay"], ["serve", "--port", "x"]])
def test_what_is_not_understood_exits_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main.main(arguments)
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize("head", ["", "5", "5:abc", "x:" + "0" * 64, "5:" + "g" * 64, "5:" + "0" * 63])
def test_a_head_that_is_none_is_refused_with_its_form(head, capsys):
    assert main.main(["events", "verify", "--head", head]) == 1
    assert "64 hex digits" in capsys.readouterr().err


def test_an_export_that_cannot_be_read_is_said_plainly(tmp_path, capsys):
    assert main.main(["events", "verify", "--file", str(tmp_path / "none")]) == 1
    (tmp_path / "bad").write_bytes(b"no event\n")
    assert main.main(["events", "verify", "--file", str(tmp_path / "bad")]) == 1
    said = capsys.readouterr().err
    assert "cannot be read" in said
    assert "line 1" in said


def test_a_setting_that_cannot_be_used_is_said_plainly(monkeypatch, capsys):
    monkeypatch.setenv("TUNEPLANE_PORT", "many")
    assert main.main(["migrate"]) == 1
    assert "TUNEPLANE_PORT" in capsys.readouterr().err


def test_help_imports_no_framework():
    code = "import sys; import entrypoints.cli.main; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"litestar", "numpy", "psycopg", "granian", "dependency_injector"} & set(done.stdout.split())


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("h", False),
    ],
)
def test_loopback_is_told_from_what_others_reach(host, loopback):
    assert is_loopback(host) is loopback
    settings = Settings(host=host)
    if loopback:
        check_exposure(settings)
    else:
        with pytest.raises(CommandFailed, match="in clear"):
            check_exposure(settings)
        check_exposure(Settings(host=host, behind_proxy=True))


def test_doctor_says_when_jobs_are_given_an_address_that_only_this_machine_reaches():
    local = doctor.ingest_address(Settings())
    assert (local.good, local.note) == (True, True)
    assert "TUNEPLANE_INGEST_URL" in str(local)
    for open_to_others in (Settings(host="0.0.0.0", behind_proxy=True), Settings(behind_proxy=True)):
        assert not doctor.ingest_address(open_to_others).good
    elsewhere = doctor.ingest_address(Settings(ingest_url="https://t.example"))
    assert (elsewhere.good, elsewhere.note) == (True, False)


LOOKING = [
    ["doctor"],
    ["events", "replay", "r"],
    ["events", "verify"],
    ["events", "export", "-"],
    ["project"],
    ["projections", "status"],
    ["token", "create", "admin"],
    ["user", "create", "ada"],
]


@pytest.mark.parametrize("command", LOOKING, ids=" ".join)
def test_what_looks_at_an_installation_makes_none(command, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("TUNEPLANE_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    assert main.main(command) == 1
    output = capsys.readouterr()
    assert "There is no database in .tuneplane" in output.out + output.err
    assert "`tuneplane-server serve` makes a new one" in output.out + output.err
    assert list(tmp_path.iterdir()) == []


def test_who_forgets_where_the_demonstrations_database_is_is_told(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("TUNEPLANE_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    FOLDER.mkdir()
    assert main.main(["token", "create", "admin"]) == 1
    assert f"--data {FOLDER}" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["mysql://u:geheim@h/d", "geheim", "postgresql://u:geheim@h:x y/d"])
def test_an_address_that_is_none_is_refused_without_repeating_it(address, capsys, monkeypatch):
    monkeypatch.setenv("TUNEPLANE_DATABASE_URL", address)
    assert main.main(["migrate"]) == 1
    said = capsys.readouterr().err
    assert "postgresql://" in said
    assert "geheim" not in said


def test_a_database_that_is_not_there_is_named(dsn, capsys, monkeypatch):
    monkeypatch.setenv("TUNEPLANE_DATABASE_URL", make_conninfo(dsn, dbname="nosuch", password="geheim"))
    assert main.main(["migrate"]) == 1
    said = capsys.readouterr().err
    assert '"nosuch" does not exist' in said
    assert "geheim" not in said


def test_a_folder_that_cannot_be_made_is_said_plainly(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("TUNEPLANE_DATABASE_URL", raising=False)
    (tmp_path / "file").write_text("")
    for command in (["migrate"], ["serve", "--port", "0"], ["doctor"]):
        assert main.main([*command, "--data", str(tmp_path / "file" / "data")]) == 1
        output = capsys.readouterr()
        assert "--data" in output.out + output.err


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["doctor"], ["migrate"]], ids=" ".join)
def test_a_folder_that_is_no_database_of_ours_is_said_plainly(command, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("TUNEPLANE_DATABASE_URL", raising=False)
    (tmp_path / "postgres").write_text("")
    assert main.main([*command, "--data", str(tmp_path)]) == 1
    output = capsys.readouterr()
    assert f"The database in {tmp_path} cannot be opened" in output.out + output.err


def test_doctor_says_what_a_database_lacks_and_changes_nothing(dsn, capsys, monkeypatch):
    monkeypatch.setenv("TUNEPLANE_DATABASE_URL", dsn)
    assert main.main(["doctor"]) == 1
    assert "tuneplane-server migrate" in capsys.readouterr().out
    with psycopg.connect(dsn) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


def test_doctor_finds_a_fresh_local_installation_sound(dsn, capsys, monkeypatch):
    monkeypatch.setenv("TUNEPLANE_DATABASE_URL", dsn)
    assert main.main(["user", "create", "ada", "--role", "admin"]) == 0
    capsys.readouterr()
    assert main.main(["doctor"]) == 0
    assert "WRONG" not in capsys.readouterr().out


def test_doctor_says_when_bodies_cannot_be_read(dsn, capsys, monkeypatch):
    monkeypatch.setenv("TUNEPLANE_DATABASE_URL", dsn)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    assert main.main(["migrate"]) == 0
    monkeypatch.setenv("TUNEPLANE_S3_BUCKET", "results")
    monkeypatch.setenv("TUNEPLANE_S3_ENDPOINT", "http://127.0.0.1:9")
    assert main.main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert (
        "WRONG  Bodies are kept as objects of the bucket results, and cannot be read: The object store is away" in said
    )


def test_doctor_says_when_the_server_may_not_listen_so(tmp_path):
    assert not doctor.exposure(Settings(host="0.0.0.0")).good
    assert doctor.exposure(Settings()).good
    assert doctor.disk(Settings(data=tmp_path / "not" / "there")).sentence.endswith(f"{tmp_path}.")


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "\x1b[2J", "\x9b31m", "a\u2028b", "\x00"])
def test_no_text_of_a_client_forges_a_log_line(text):
    record = logging.LogRecord("n", logging.ERROR, "f", 1, "%s failed", (text,), None)
    line = OneLine("%(message)s").format(record)
    assert line.isprintable()
    assert line.endswith(" failed")


def test_a_traceback_stays_readable_and_inert():
    try:
        int("\x1b[2J")
    except ValueError:
        record = logging.LogRecord("n", logging.ERROR, "f", 1, "failed", (), sys.exc_info())
    lines = OneLine("%(message)s").format(record).split("\n")
    assert len(lines) > 2
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("kind", ["ing", "pat", "ses", "shr"])
def test_no_credential_shows_its_secret_in_a_log(kind):
    credential = mint(kind)
    record = logging.LogRecord("n", logging.ERROR, "f", 1, "GET /s/%s/series failed", (credential.text,), None)
    line = OneLine("%(message)s").format(record)
    assert credential.id in line
    assert credential.text.split("_", 3)[3] not in line
    assert line.endswith("[masked]/series failed")


def test_an_export_is_for_its_owner_alone(tmp_path):
    with _written(str(tmp_path / "log.ndjson")) as file:
        file.write(b"line\n")
    assert stat.S_IMODE((tmp_path / "log.ndjson").stat().st_mode) == 0o600


def test_half_an_export_is_none(tmp_path):
    def torn():
        with _written(str(tmp_path / "log.ndjson")) as file:
            file.write(b"line\n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        torn()
    assert list(tmp_path.iterdir()) == []


def test_commands_import_what_they_need_when_they_run():
    for path in (ROOT / "entrypoints" / "cli").glob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith(("adapters", "application", "entrypoints.http")), path
