"""Every page beside a job's own, on a desk and on a phone, light and dark: it opens, fits, and serves everybody."""

import pytest

from tests.browser.every_page import each_opens_fits_and_can_be_used_by_everybody, job, pages_around

pytestmark = pytest.mark.browser
__all__ = ["job"]


def test_every_page_around_the_jobs_opens_fits_and_can_be_used_by_everybody(opening, job):
    each_opens_fits_and_can_be_used_by_everybody(opening, job, pages_around(job))
