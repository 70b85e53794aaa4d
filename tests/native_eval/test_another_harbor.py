"""An older Harbor, in a file of its own so that its environment is made beside the other one."""

import pytest

from tests.environments import environment
from tests.native_eval.cohort import a_config


@pytest.mark.packages
@pytest.mark.usefixtures("sandboxes")
def test_another_version_of_harbor_runs_as_well_and_is_named_in_the_evidence(run):
    older = environment("older-harbor", "harbor==0.18.0", python="python3.12")
    code, _, said = run.done(a_config(run.folder, "solved", "unsolved"), older)
    assert code == 0, said
    assert run.outcomes() == {"solved": ("success", None), "unsolved": ("failure", None)}
    assert run.read("import-plan.json")["settings"]["execution"]["harbor"] == "0.18.0"
