"""Pictures are there, are what their name says, and are small."""

import re
import struct

import pytest

from tests.docs.documents import DOCUMENTS, ROOT, text

PICTURE = re.compile(r"!\[([^\]]+)\]\(([^)]+)\)")
LARGEST_BYTES = 200_000
SHOWN = [(document, *found) for document in DOCUMENTS for found in PICTURE.findall(text(document))]
TAKEN = sorted((ROOT / "docs" / "pictures").glob("*.png"))


def test_the_readme_shows_the_product():
    assert len([one for one in SHOWN if one[0] == "README.md"]) > 1


@pytest.mark.parametrize(("document", "caption", "path"), SHOWN)
def test_every_picture_of_a_document_is_there(document, caption, path):
    assert ((ROOT / document).parent / path).is_file()
    assert len(caption.split()) > 2


@pytest.mark.parametrize("path", TAKEN, ids=lambda path: path.stem)
def test_every_picture_is_small_and_large_enough_to_read(path):
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(content) < LARGEST_BYTES
    width, height = struct.unpack(">II", content[16:24])
    assert width >= 1_000
    assert height >= 500
