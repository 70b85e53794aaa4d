"""The published functions keep their names, parameters and defaults."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import tuneplane
from tuneplane import report
from tuneplane.reporter import Reporter, ReporterError, from_env

PACKAGE = Path(tuneplane.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

REPORT = {
    "init": "(*, hparams=None, monitor_hardware=True, monitor_interval=None)",
    "log": "(metrics, step=None, prefix='')",
    "log_hparams": "(params)",
    "observe": "(name, *, values=None, step=None, policy_version=None, event_id=None, bounds=None, counts=None)",
    "configure_observability": "(*, capabilities=(), descriptors=None)",
    "validation_population": "(round_id, expected)",
    "validation_protocol": "(round_id, *, dataset_digest, cohort_digest, verifier_digest, settings_digest, split, "
    "checkpoint)",
    "validation_metric": "(round_id, key, value, *, unit)",
    "validation_outcome": "(round_id, trial_id, *, status, training_eligible, trial_attempt=0)",
    "finish": "()",
    "TunePlaneCallback": "(*, monitor_hardware=True, prefix='')",
}
REPORTER = {
    "__init__": "(endpoint, run_id, token, *, timeout=10.0, max_attempts=3, retry_delay=0.2, attempt=None)",
    "from_env": "(env=None)",
    "lifecycle": "(event)",
    "artifact": "(kind, path, *, format, completion=None, step=None, size_bytes=None, metrics=None)",
    "upload_artifact": "(kind, file, *, format, completion=None, step=None, metrics=None, content_type=None)",
    "metrics_points": "(points)",
    "validation": "(step, samples, *, avg_reward=None, accuracy=None, avg_len=None, dist=None, chunk_index=0, "
    "total_chunks=1, total_samples=None)",
    "hardware": "(points)",
    "hparams": "(params)",
    "environment_nodes": "(nodes)",
    "observations": "(payload)",
    "logs": "(chunks, *, eof=False)",
}


def bare(function: object) -> str:
    """A signature without annotations and `self`."""
    signature = inspect.signature(function)  # type: ignore[arg-type]
    kept = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name != "self"]
    return str(signature.replace(parameters=kept, return_annotation=signature.empty))


@pytest.mark.parametrize(("name", "wanted"), REPORT.items())
def test_a_reporting_function_has_its_published_signature(name, wanted):
    assert bare(getattr(report, name)) == wanted
    assert getattr(tuneplane, name) is getattr(report, name)


@pytest.mark.parametrize(("name", "wanted"), REPORTER.items())
def test_a_reporter_method_has_its_published_signature(name, wanted):
    assert bare(getattr(Reporter, name)) == wanted


def test_a_trajectory_comes_as_a_dict_or_as_its_fields():
    kinds = [p.kind for p in inspect.signature(Reporter.trajectory).parameters.values()]
    assert kinds[1:] == [inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_KEYWORD]


def test_the_module_has_from_env_too_and_names_come_from_the_package():
    assert bare(from_env) == "(env=None)"
    assert tuneplane.Reporter is Reporter
    assert tuneplane.ReporterError is ReporterError
    with pytest.raises(AttributeError):
        _ = tuneplane.unheard_of


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_is_python_3_9_and_imports_the_standard_library_alone(module):
    tree = ast.parse(module.read_text(encoding="utf-8"), feature_version=(3, 9))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.AnnAssign | ast.arg):
            continue
    assert imported <= {*sys.stdlib_module_names, "tuneplane"}
    assert any("annotations" in ast.dump(node) for node in tree.body) or "|" not in module.read_text()


def test_no_module_is_longer_than_400_lines():
    assert {path.name for path in MODULES if len(path.read_text().splitlines()) > 400} == set()


def test_importing_the_package_imports_no_module_of_it():
    code = "import sys, tuneplane; print([m for m in sys.modules if m.startswith('tuneplane.')])"
    env = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.strip() == "[]"
