"""Documents name files that are there."""

import re

import pytest

from tests.architecture.files import LAYERS, ROOT, tracked

DOCUMENTS = [
    path for path in tracked() if path.suffix == ".md" and path.parts[0] in {"ARCHITECTURE.md", "README.md", "docs"}
]
FOLDERS = ("domain", "application", "adapters", "entrypoints", "sdk", "tests", "docs")
NAMED = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]+)`|(?<!!)\[[^\]]*\]\(((?!https?:)[\w./-]+)(?:#[\w-]*)?\)")
DECISION_LINES = 30


def named_in(document) -> set[str]:
    """Files and folders, from the project's root."""
    found = NAMED.findall((ROOT / document).read_text())
    return {code or str(document.parent / link) for code, link in found}


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_file_a_document_names_is_there(document):
    assert {name for name in named_in(document) if not (ROOT / name).exists()} == set()


def test_the_highest_attempt_is_found_at_once():
    table = (ROOT / "ARCHITECTURE.md").read_text().partition("## Where is")[2]
    assert "domain/rules/highest_attempt_wins.py" in table[:200]


def test_a_decision_fits_a_screen():
    decisions = (ROOT / "ARCHITECTURE.md").read_text().partition("## Decisions")[2].split("\n### ")[1:]
    assert len(decisions) > 10
    assert {one.partition("\n")[0] for one in decisions if len(one.splitlines()) > DECISION_LINES} == set()


def test_the_map_shows_every_folder_of_a_layer():
    shown = (ROOT / "ARCHITECTURE.md").read_text().split("```")[1]
    folders = {path.parts[1] for path in tracked() if len(path.parts) > 2 and path.parts[0] in LAYERS}
    assert {name for name in folders if name not in shown} == set()
