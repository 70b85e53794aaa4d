"""Settings are read once, checked, and every one is documented."""

import ast
import re
from pathlib import Path

import msgspec
import pytest

from entrypoints.settings import Settings, SettingsUnreadable, read, variable

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "settings.md").read_text()


@pytest.mark.parametrize("field", Settings.__struct_fields__)
def test_every_setting_is_documented(field):
    assert f"`{variable(field)}`" in DOCUMENT


def test_nothing_is_documented_that_is_no_setting():
    named = set(re.findall(r"TUNEPLANE_[A-Z0-9_]+", DOCUMENT))
    known = {variable(field) for field in Settings.__struct_fields__}
    assert {name for name in named if not name.startswith("TUNEPLANE_JOB_")} <= known


def test_defaults_are_those_of_the_document():
    assert read({}) == Settings()
    assert (Settings().ingest_token_days, Settings().trajectory_days, Settings().port) == (30, 7, 8420)


def test_values_are_read_from_their_variables():
    found = read(
        {
            "TUNEPLANE_DATABASE_URL": "postgresql://h/d",
            "TUNEPLANE_DATA": "/srv/data",
            "TUNEPLANE_PORT": "9000",
            "TUNEPLANE_BEHIND_PROXY": "1",
            "TUNEPLANE_ALLOWED_HOSTS": "A.example, b.example,",
            "TUNEPLANE_INGEST_URL": "https://t.example/base/",
            "TUNEPLANE_INGEST_TOKEN_DAYS": " 90 ",
            "TUNEPLANE_TRAJECTORY_DAYS": "",
            "OTHER": "x",
        }
    )
    assert found == Settings(
        database_url="postgresql://h/d",
        data=Path("/srv/data"),
        port=9000,
        behind_proxy=True,
        allowed_hosts=("a.example", "b.example"),
        ingest_url="https://t.example/base/",
        ingest_token_days=90,
    )
    assert found.public_address == "https://t.example/base"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "65536"),
        ("PORT", "-1"),
        ("PORT", "٣"),
        ("BEHIND_PROXY", "yes"),
        ("INGEST_URL", "t.example"),
        ("INGEST_TOKEN_DAYS", "0"),
        ("INGEST_TOKEN_DAYS", "3651"),
        ("TRAJECTORY_DAYS", "1.5"),
        ("ARTIFACT_BYTES", "many"),
    ],
)
def test_what_cannot_be_used_stops_the_start_and_is_named(name, value):
    with pytest.raises(SettingsUnreadable, match=f"TUNEPLANE_{name}"):
        read({f"TUNEPLANE_{name}": value})


def test_secrets_are_not_printed():
    settings = Settings(database_url="postgresql://u:hunter2@h/d")
    assert "hunter2" not in f"{settings!r} {settings}"


@pytest.mark.parametrize(
    ("changes", "address"),
    [
        ({}, "http://127.0.0.1:8420"),
        ({"host": "0.0.0.0", "port": 1}, "http://127.0.0.1:1"),
        ({"host": "::1"}, "http://[::1]:8420"),
        ({"tls_cert": Path("c"), "host": "h"}, "https://h:8420"),
    ],
)
def test_the_address_can_be_opened(changes, address):
    settings = msgspec.structs.replace(Settings(), **changes)
    assert settings.address == settings.public_address == address


def reads_environment(path):
    tree = ast.parse(path.read_text())
    return any(isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"} for node in ast.walk(tree))


def test_the_environment_is_read_at_the_edge_alone():
    found = {
        str(path.relative_to(ROOT))
        for layer in ("domain", "application", "adapters")
        for path in (ROOT / layer).rglob("*.py")
        if reads_environment(path)
    }
    assert found == set()
