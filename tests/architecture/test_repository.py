import re
import tomllib

import pytest

from tests.architecture.files import ROOT, tracked

LOCKS = ("requirements.lock", "requirements-dev.lock")
MACHINES = re.compile(r"/(?:home|root|Users|work)/[A-Za-z0-9_.-]")
SAMPLES = {"samples", "golden", "vendor"}
"""Folders of files that others wrote, kept as they came."""


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_versions_and_hashes_and_no_place(lock):
    text = (ROOT / lock).read_text()
    for line in text.splitlines():
        stripped = line.strip().removesuffix("\\").strip()
        assert re.fullmatch(r"[a-z0-9.-]+==[\w.]+( ; .+)?|--hash=sha256:[0-9a-f]{64}", stripped), line
    pins = re.split(r"\n(?=\w)", text)
    assert [pin for pin in pins if "--hash=" not in pin] == []


def test_the_development_lock_holds_the_same_releases_as_the_server_runs_on():
    server, development = (set(re.findall(r"^\S+==[\w.]+", (ROOT / lock).read_text(), re.MULTILINE)) for lock in LOCKS)
    assert server - development == set()


def test_each_rule_of_the_linter_that_is_off_says_why():
    text = (ROOT / "pyproject.toml").read_text()
    settings = tomllib.loads(text)["tool"]["ruff"]["lint"]
    off = [*settings["ignore"], *(rule for rules in settings["per-file-ignores"].values() for rule in rules)]
    reasoned = re.findall(r'^    "([A-Z]+[0-9]*)", *# \S', text, re.MULTILINE)
    assert sorted(off) == sorted(reasoned)


def test_no_file_holds_a_path_of_a_developers_machine():
    found = set()
    for path in tracked():
        if SAMPLES & set(path.parts):
            continue
        try:
            text = (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found |= {f"{path}: {hit.group()}" for hit in MACHINES.finditer(text)}
    assert found == set()
