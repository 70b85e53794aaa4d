from application.projections.hyperparameters import HYPERPARAMETER
from tests import factories as a
from tests.queries.reports import Reports


def told(*snapshots) -> dict[str, object]:
    reports = Reports()
    reports.of(a.a_run(), a.an_execution(), *(a.hyperparameters(params=params) for params in snapshots))
    return {one.key: one.value for one in reports.views.records.find(HYPERPARAMETER) if one.stands}


def test_each_key_is_kept_by_itself_and_maps_in_maps_with_dots():
    params = {"lr": 1e-4, "opt": {"name": "adam", "betas": [0.9, 0.95]}, "amp": True, "seed": None, "empty": {}}

    assert told(params) == {"lr": 1e-4, "opt.name": "adam", "opt.betas": "[0.9,0.95]", "amp": True, "seed": None}


def test_a_later_snapshot_replaces_the_keys_it_has_and_leaves_others():
    assert told({"lr": 1, "seed": 7}, {"lr": 2}) == {"lr": 2, "seed": 7}


def test_what_a_replaced_map_held_stands_no_longer():
    assert told({"opt": {"lr": 1, "eps": 2}, "x": {"y": 3}}, {"opt": {"lr": 4}}) == {"opt.lr": 4, "x.y": 3}


def test_a_map_that_comes_back_stands_again():
    assert told({"opt": {"eps": 2}}, {"opt": 5}, {"opt": {"eps": 3}}) == {"opt.eps": 3}


def test_a_long_text_is_cut_and_says_so():
    assert told({"prompt": "x" * 257, "fits": "y" * 256}) == {"prompt": "x" * 256 + "…", "fits": "y" * 256}


def test_long_keys_stay_their_own():
    assert len(told({"k" * 3000: 1, "k" * 3000 + "l": 2})) == 2
