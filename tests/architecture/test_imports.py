import ast
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.files import CLIENT, EXAMPLES, LAYERS, ROOT, modules

OF_EACH_LAYER = {
    "domain": {"domain", "msgspec", "tuneplane.contract"},
    "application": {"application", "domain", "msgspec", "numpy", "tuneplane.contract"},
}
"""What a layer may import beside the standard library; import-linter holds the order of the layers."""

OPTIONAL_OF_THE_CLIENT = {"psutil", "pynvml"}


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                yield from (f"{module}.{alias.name}" for alias in names)


def strangers(path: Path, tree: ast.AST, allowed: set[str]) -> set[str]:
    def known(name: str) -> bool:
        top = name.partition(".")[0]
        return top in sys.stdlib_module_names or any(f"{name}.".startswith(f"{one}.") for one in allowed)

    return {f"{path}: {name}" for name in imported(tree) if not known(name)}


def at_import_time(tree: ast.Module) -> ast.Module:
    """What runs when the module is imported and must not fail there: neither functions nor what is tried."""
    return ast.Module([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], [])


@pytest.mark.parametrize("layer", OF_EACH_LAYER)
def test_the_core_imports_nothing_that_it_does_not_need(layer):
    found = {path: ast.parse((ROOT / path).read_text()) for path in modules(layer)}
    assert set().union(*(strangers(path, tree, OF_EACH_LAYER[layer]) for path, tree in found.items())) == set()


def test_the_client_takes_nothing_but_the_standard_library_to_import():
    found = {path: at_import_time(ast.parse((ROOT / path).read_text())) for path in modules(CLIENT)}
    assert set().union(*(strangers(path, tree, {"tuneplane"}) for path, tree in found.items())) == set()


def test_the_examples_take_nothing_but_the_client_to_import():
    found = {path: at_import_time(ast.parse((ROOT / path).read_text())) for path in modules(EXAMPLES)}
    assert set().union(*(strangers(path, tree, {"tuneplane", "common"}) for path, tree in found.items())) == set()


@pytest.mark.parametrize("name", LAYERS)
def test_the_layer_imported_is_ours(name):
    """`adapters` and `entrypoints` are also names of published packages."""
    origin = importlib.import_module(name).__file__
    assert origin is not None
    assert Path(origin) == ROOT / name / "__init__.py"


def test_the_client_imported_is_ours():
    origin = importlib.import_module("tuneplane.contract").__file__
    assert origin is not None
    assert Path(origin) == ROOT / CLIENT / "contract.py"
