import pytest

from domain.rules.validation_key import validation_key


def parts(key: str):
    found = validation_key(key)
    return found and (found.dataset, found.group, found.metric, found.sampling_count)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("val-core/gsm8k/pass@8", ("gsm8k", "core", "pass", 8)),
        ("val-aux/gsm8k/pass@1", ("gsm8k", "aux", "pass", 1)),
        ("val-core/gsm8k/mean@8", ("gsm8k", "core", "mean", 8)),
        ("val-core/gsm8k/acc/mean@8", ("gsm8k", "core", "acc/mean", 8)),
        ("val-core/openai/gsm8k/acc/maj@16", ("openai/gsm8k", "core", "acc/maj", 16)),
        ("val-core/openai/gsm8k/pass@8", ("openai/gsm8k", "core", "pass", 8)),
        ("val-aux/openai/gsm8k/reward/best@4/mean", ("openai/gsm8k", "aux", "reward/best/mean", 4)),
        ("val-aux/a@b/reward/worst@4/std", ("a@b", "aux", "reward/worst/std", 4)),
        ("val-core/Übung 1/acc/mean@32", ("Übung 1", "core", "acc/mean", 32)),
        ("val-core/set/pass@999999999", ("set", "core", "pass", 999_999_999)),
    ],
)
def test_a_source_specific_key_keeps_dataset_group_and_sampling_count(key, said):
    assert parts(key) == said


@pytest.mark.parametrize(
    "key",
    [
        "train/loss",
        "val/gsm8k/acc/mean@8",
        "val-core",
        "val-core/gsm8k",
        "val-core/gsm8k/acc",
        "val-core/mean@8",
        "val-core/pass@8/mean",
        "val-aux/num_turns/mean",
        "val-core/gsm8k/pass@0",
        "val-core/gsm8k/pass@08",
        "val-core/gsm8k/pass@N",
        "val-core/gsm8k/pass@٨",
        "val-core/gsm8k/pass@1000000000",
        "val-core/gsm8k/@8",
        "val-core//pass@8",
        "val-core/gsm8k/pass@8/",
        "val-core/gsm8k/pass@8/mean/more",
        "VAL-CORE/gsm8k/pass@8",
        " val-core/gsm8k/pass@8",
        "val-core/gsm8k/pass@8\n",
    ],
)
def test_a_key_of_another_shape_is_left_alone(key):
    assert parts(key) is None
