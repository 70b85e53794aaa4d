"""Every page on a phone: it opens, fits, and can be used by everybody, light and dark."""

import pytest

from tests.browser.every_page import PHONE, every_page_opens_fits_and_can_be_used_by_everybody, job

pytestmark = pytest.mark.browser
__all__ = ["job"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_opens_fits_and_can_be_used_by_everybody(opening, job, scheme):
    every_page_opens_fits_and_can_be_used_by_everybody(opening, job, scheme, PHONE)
