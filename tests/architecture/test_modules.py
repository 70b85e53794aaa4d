import ast

import pytest

from tests.architecture.files import CLIENT, EXAMPLES, LAYERS, ROOT, modules

LONGEST = 400


def test_no_module_is_too_long_to_read():
    lengths = {
        path: len((ROOT / path).read_text().splitlines()) for path in modules(*LAYERS, CLIENT, EXAMPLES, "tests")
    }
    assert {str(path): length for path, length in lengths.items() if length > LONGEST} == {}


@pytest.mark.parametrize("path", modules(CLIENT, EXAMPLES), ids=str)
def test_the_client_is_written_for_python_3_9(path):
    ast.parse((ROOT / path).read_text(), filename=str(path), feature_version=(3, 9))
