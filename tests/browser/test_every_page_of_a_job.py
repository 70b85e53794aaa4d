"""Every page of a job, on a desk and on a phone, light and dark: it opens, fits, and can be used by everybody."""

import pytest

from tests.browser.every_page import each_opens_fits_and_can_be_used_by_everybody, job, tabs_of

pytestmark = pytest.mark.browser
__all__ = ["job"]


def test_every_page_of_a_job_opens_fits_and_can_be_used_by_everybody(opening, job):
    each_opens_fits_and_can_be_used_by_everybody(opening, job, tabs_of(job))
