"""The fixture of modules whose tests count jobs, people, shares or bodies, or take parts of the site away."""

from collections.abc import Iterator

import pytest

from tests.console.conftest import Site, settings_in, site_of


@pytest.fixture
def running(tmp_path) -> Iterator[Site]:
    """A site for each test alone."""
    yield from site_of(settings_in(tmp_path))
