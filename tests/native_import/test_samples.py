"""Every file that Harbor wrote is imported as it was read by hand, or refused with the reason."""

import pytest

from common.eval.harbor_result import read_result
from common.eval.refused import InputRefused
from tests.native_import import samples
from tests.native_import.cohort import SAMPLES


@pytest.mark.parametrize(("version", "name"), [(one, name) for one, names in samples.BY_HAND.items() for name in names])
def test_a_real_result_says_what_was_read_off_it_by_hand(version, name):
    found = read_result(samples.sample(version, name), name)

    assert (found.status, found.reason) == samples.BY_HAND[version][name]
    assert found.finished_at is not None


def test_a_real_jobs_result_is_refused_as_no_trials():
    with pytest.raises(InputRefused, match="task_name: is the result of a whole job"):
        read_result(samples.sample("harbor", samples.JOB), "demo-job/result.json")


@pytest.mark.parametrize("version", samples.BY_HAND)
def test_every_kept_result_was_read_by_hand(version):
    kept = {path.name.removesuffix(".result.json") for path in (SAMPLES / version).iterdir()}
    assert kept - {samples.JOB} == set(samples.BY_HAND[version])
