"""Every setting is documented, and every variable that a document names is read by somebody."""

import re

import msgspec
import pytest

from entrypoints.cli.serve import is_loopback
from entrypoints.settings import Settings, variable
from tests.docs.documents import DOCUMENTS, ROOT, code, text

VARIABLE = re.compile(r"\bTUNEPLANE_[A-Z0-9_]*[A-Z]\b")
ROW = re.compile(r"^\| (?P<names>[^|]*) \| (?P<default>[^|]*) \|", re.MULTILINE)


def rows() -> dict[str, str]:
    """Variable -> what the table says its default is."""
    return {
        name: row["default"].strip()
        for row in ROW.finditer(text("docs/settings.md"))
        for name in VARIABLE.findall(row["names"])
    }


def test_the_table_of_settings_is_complete():
    assert set(rows()) == {variable(field) for field in Settings.__struct_fields__}


def test_defaults_are_what_the_table_says():
    said = {name: default.strip("`") for name, default in rows().items() if default.startswith("`")}
    for field in msgspec.structs.fields(Settings):
        if variable(field.name) in said:
            default = field.default
            shown = str(int(default)) if isinstance(default, bool) else str(default)
            assert said[variable(field.name)].removeprefix("./") == shown
        else:
            assert field.default in (None, ())
    assert is_loopback(said["TUNEPLANE_HOST"])


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_variable_of_a_document_is_read_by_somebody(document):
    sources = [
        path.read_text(encoding="utf-8")
        for folder in ("entrypoints", "sdk/tuneplane")
        for path in (ROOT / folder).rglob("*.py")
    ]
    read = {name for source in sources for name in VARIABLE.findall(source)}
    read |= {variable(field) for field in Settings.__struct_fields__}
    named = {name for piece in code(document) for name in VARIABLE.findall(piece)}
    assert named - {name for name in named if name == "TUNEPLANE_JOB"} <= read
