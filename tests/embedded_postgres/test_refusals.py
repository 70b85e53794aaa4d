import os
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.embedded_postgres import account
from adapters.embedded_postgres.claim import Claim
from adapters.embedded_postgres.errors import (
    BinariesMissing,
    FolderInUse,
    NotACluster,
    NoUnprivilegedAccount,
    OtherMajorVersion,
    OwnedByAnotherAccount,
)
from adapters.embedded_postgres.launcher import EmbeddedPostgres


def test_a_second_server_of_the_same_process_is_refused(place):
    held = Claim(place)
    with pytest.raises(FolderInUse, match=str(os.getpid())):
        EmbeddedPostgres(place).start()
    held.release()
    Claim(place).release()


def test_a_second_server_of_another_process_is_refused_and_told_whose_the_folder_is(place):
    script = "import sys, pathlib; from adapters.embedded_postgres.claim import Claim; Claim(pathlib.Path(sys.argv[1]))"
    held = Claim(place)
    other = subprocess.run([sys.executable, "-c", script, place], capture_output=True, text=True, check=False)
    held.release()
    assert f"in use by another TunePlane server (process {os.getpid()})" in other.stderr


@pytest.mark.parametrize("found", ["16", "19"])
def test_data_of_another_major_version_is_refused_untouched(place, found):
    cluster = place / "pgdata"
    cluster.mkdir()
    (cluster / "PG_VERSION").write_text(f"{found}\n")
    with pytest.raises(OtherMajorVersion, match=rf"PostgreSQL {found}.*TUNEPLANE_DATABASE_URL"):
        EmbeddedPostgres(place).start()
    assert [path.name for path in cluster.iterdir()] == ["PG_VERSION"]
    Claim(place).release()


def test_a_folder_with_something_else_in_it_is_refused_untouched(place):
    (place / "pgdata").mkdir()
    (place / "pgdata" / "thesis.tex").write_text("mine")
    with pytest.raises(NotACluster, match="Move it away"):
        EmbeddedPostgres(place).start()
    assert (place / "pgdata" / "thesis.tex").read_text() == "mine"


def test_without_the_programs_it_says_how_to_get_them(place, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(BinariesMissing, match="make install"):
        EmbeddedPostgres(place).start()


def test_root_without_an_unprivileged_account_is_refused(place, monkeypatch):
    monkeypatch.setattr(account, "UNPRIVILEGED", ("no-such-account",))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    with pytest.raises(NoUnprivilegedAccount, match="no-such-account"):
        account.account_for(place / "pgdata")


def test_data_of_another_account_is_refused_by_name(place, monkeypatch):
    (place / "pgdata").mkdir()
    owner = Path(place / "pgdata").owner()
    monkeypatch.setattr("os.geteuid", lambda: 4_000_000)
    with pytest.raises(OwnedByAnotherAccount, match=f"Start the server as {owner}"):
        account.account_for(place / "pgdata")
