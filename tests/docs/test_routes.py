"""Routes that a document or an error names are routed."""

import re

import pytest

from entrypoints.http.app import create_app
from entrypoints.settings import Settings
from tests.docs.documents import DOCUMENTS, code
from tests.http.conftest import in_memory

PATH = re.compile(r"(?<![\w.$/`:])(/(?:api|s|runs|help|schema|healthz|readyz|metrics|login)(?:/[\w{}.-]*)*)")


@pytest.fixture(scope="module")
def routed(tmp_path_factory) -> list[re.Pattern[str]]:
    """A pattern for each route, and for each group of routes: any beginning of one."""
    patterns = set()
    settings = Settings(database_url="unused", data=tmp_path_factory.mktemp("data"))
    for route in create_app(in_memory(settings)).routes:
        parts = route.path.strip("/").split("/")
        for count in range(1, len(parts) + 1):
            beginning = "/".join("[^/]+" if part.startswith("{") else re.escape(part) for part in parts[:count])
            patterns.add(re.compile(f"/{beginning}/?"))
    return list(patterns)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_route_of_a_document_is_routed(document, routed):
    named = {path for piece in code(document) for path in PATH.findall(piece)}
    assert {path for path in named if not any(pattern.fullmatch(path) for pattern in routed)} == set()
