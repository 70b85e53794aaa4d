"""Commands and targets that a document or a message names can be typed as they stand."""

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest
from tuneplane.cli import parser as client_parser

from entrypoints.cli.main import parser as server_parser
from tests.docs.documents import DOCUMENTS, ROOT, blocks, code, text

SERVER = re.compile(r"\btuneplane-server((?: [A-Za-z][A-Za-z-]*| --[a-z][a-z-]*)*)")
CLIENT = re.compile(r"\btuneplane((?: (?:run|doctor|import(?: [a-z]+)?))(?: --[a-z][a-z-]*)*)")
MAKE = re.compile(r"\bmake ([a-z][a-z-]*)")
TARGET = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)
SOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("adapters", "application", "domain", "entrypoints", "sdk/tuneplane")
    for kind in ("*.py", "*.html")
    for path in (ROOT / folder).rglob(kind)
)


def choices(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Its commands."""
    return {
        name: made
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, made in action.choices.items()
    }


def unknown(words: list[str], parser: argparse.ArgumentParser) -> Iterator[str]:
    """Words of a command line that the command does not know: commands, as far as there are any, and options."""
    while words and choices(parser) and not words[0].startswith("--"):
        if words[0] not in choices(parser):
            yield words[0]
            return
        parser = choices(parser)[words.pop(0)]
    yield from (word for word in words if word.startswith("--") and word not in parser._option_string_actions)


def named(pattern: re.Pattern[str], pieces: list[str], parser: argparse.ArgumentParser) -> set[str]:
    """What `pieces` call with words that `parser` does not know."""
    return {
        f"{match[0]}: {word}"
        for piece in pieces
        for match in pattern.finditer(piece)
        for word in unknown(match[1].split(), parser)
    }


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_of_a_document_exists(document):
    assert named(SERVER, code(document), server_parser()) == set()
    assert named(CLIENT, code(document), client_parser()) == set()


@pytest.mark.parametrize("source", [path for path in SOURCES if "tuneplane-server " in text(path)])
def test_every_command_that_a_message_or_a_page_advises_exists(source):
    in_one_piece = re.sub(r'"\s+f?"', "", text(source))  # Python joins neighbouring literals, and so do we
    assert named(SERVER, [in_one_piece], server_parser()) == set()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_target_of_a_document_exists(document):
    targets = set(TARGET.findall(text("Makefile")))
    assert {name for piece in code(document) for name in MAKE.findall(piece)} <= targets


def test_every_target_explains_itself():
    declared = re.search(r"^\.PHONY: (.*)$", text("Makefile"), re.MULTILINE)
    assert declared is not None
    explained = set(re.findall(r"^([a-z][a-z-]*):[^#\n]*## \S", text("Makefile"), re.MULTILINE))
    assert set(declared[1].split()) == explained


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_the_measurements_start_without_anything_set():
    command = ["make", "--silent", "--old-file=dev-install", "bench", f"VENV={sys.prefix}", "ARGS=--help"]
    done = subprocess.run(command, cwd=ROOT, env={}, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("usage: make bench"), done.stderr


def test_the_readme_begins_with_two_commands_that_exist():
    first = [line.partition("#")[0].strip() for line in blocks("README.md", "bash")[0].splitlines()]
    assert first == ["make demo", "make test"]
