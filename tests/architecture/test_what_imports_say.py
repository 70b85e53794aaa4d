"""Importers tell names of others' files, so all that they print goes through what makes it harmless."""

import re
from pathlib import Path

SDK = Path(__file__).parents[2] / "sdk"
_PRINTS = re.compile(r"\bprint\(|\bstd(?:out|err)\.write")


def test_no_importer_writes_to_a_terminal_by_itself():
    folders = (SDK / "tuneplane/integrations", SDK / "tuneplane/moving", SDK / "examples/common")
    found = [one for folder in folders for one in folder.rglob("*.py") if _PRINTS.search(one.read_text())]
    assert found == []
