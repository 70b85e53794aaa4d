"""Results of lm-evaluation-harness 0.4 as evaluation rounds: `python -m tuneplane.integrations.lm_eval DIR`.

In the process that evaluates: `report(simple_evaluate(..., log_samples=True), Reporter.from_env())`.
"""

from tuneplane.integrations.lm_eval.delivery import Plan, Sent
from tuneplane.integrations.lm_eval.refusals import ResultsRefused
from tuneplane.integrations.lm_eval.reporting import report, report_folder
from tuneplane.integrations.lm_eval.rounds import Choices

__all__ = ["Choices", "Plan", "ResultsRefused", "Sent", "report", "report_folder"]
