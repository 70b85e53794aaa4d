"""`/runs/{run}/config`: hyperparameters, environment, packages and nodes of a job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from litestar import Response, get
from litestar.params import FromQuery, QueryParameter

from application.ports.views import Views
from application.queries.config_diff import Leaf, holding
from application.queries.declared_contract import declared_contract
from application.queries.environment import Environment, environment, gpu_models, packages
from application.queries.hyperparameters import hyperparameters
from application.queries.node_differences import node_differences
from application.queries.run import run_item
from domain.ids import RunId
from entrypoints.http.console.console import AsSignedIn, Console, Using, here, moment_of, user_of
from entrypoints.http.console.contexts.config import (
    AgainstView,
    ConfigPage,
    EnvironmentView,
    LeavesView,
    NodesView,
    ParametersView,
)
from entrypoints.http.console.contexts.picker import Picker
from entrypoints.http.console.look import Look, Looking, look_of
from entrypoints.http.console.pages.config_diffs import config_diffs, environment_leaves, parameter_leaves
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.pages.picker import SEARCH_CHARS, picker
from entrypoints.http.console.rendering import rendered

_ROWS = 500
_NODES = 64
_DESCRIPTORS = 200
Search = Annotated[str, QueryParameter(max_length=SEARCH_CHARS)]


@get("/runs/{run_id:str}/config", include_in_schema=False, sync_to_thread=True)
def config(
    request: AsSignedIn,
    look: Looking,
    console: Using,
    q: Search = "",
    against: FromQuery[str] = "",
    find: Search = "",
) -> Response[bytes]:
    """What nobody reported is unknown. With `against`, what differs from that job's configuration."""
    run, searched = RunId(look.run_id), q.strip()
    kept = {"attempt": look.attempt, "as_of": look.as_of, "against": against}
    offered = None if against else _picker(console, look, q, find)
    with console.views(look, *([against] if against else [])) as views:
        head = job_head(views, console, request.user, look, "config")
        page = ConfigPage(
            title=f"{head.run.name} · config",
            user=user_of(request),
            head=head,
            live=live_address(views, head, ("lifecycle",), attempt=head.run.attempt),
            q=q,
            address=here(request),
            here=f"/runs/{run}/config",
            kept=[(name, str(value)) for name, value in kept.items() if value not in {None, ""}],
            parameters=_parameters(views, look, searched),
            environment=_environment(views, look, searched),
            contract=declared_contract(views, run, attempt=look.attempt),
            descriptors=_DESCRIPTORS,
            against=_against(views, look, against, searched) if against else None,
            picker=offered,
        )
    return rendered(page)


def _parameters(views: Views, look: Look, q: str) -> ParametersView:
    known = hyperparameters(views, RunId(look.run_id), attempt=look.attempt)
    found = _found(parameter_leaves(known) or [], q)
    return ParametersView(known=known, found=found, json=look.api("hparams"), csv=look.api("hparams.csv"))


def _environment(views: Views, look: Look, q: str) -> EnvironmentView:
    known = environment(views, RunId(look.run_id), attempt=look.attempt)
    overview, gpu = known.overview or {}, (known.hardware or {}).get("gpu")
    of_gpu = gpu if isinstance(gpu, dict) else {}
    return EnvironmentView(
        known=known,
        python=_text(overview.get("python")),
        cuda=_text(of_gpu.get("cuda_version")),
        driver=_text(of_gpu.get("driver_version")),
        gpus=gpu_models(gpu),
        found=_found(environment_leaves(known) or [], q),
        packages=_found(packages(known.packages or ""), q),
        json=look.api("environment"),
        packages_csv=look.api("packages.csv"),
        nodes=_nodes(known),
    )


def _found(listed: Sequence[Leaf], q: str) -> LeavesView:
    found = holding(listed, q)
    return LeavesView(shown=found[:_ROWS], found=len(found), all=len(listed))


def _nodes(ran: Environment) -> NodesView:
    shown = ran.nodes[:_NODES]
    return NodesView(
        shown=[(one, gpu_models(one.gpu)) for one in shown], all=len(ran.nodes), differences=node_differences(shown)
    )


def _against(views: Views, look: Look, against: str, q: str) -> AgainstView:
    other = look_of(against, as_of="" if look.as_of is None else str(look.as_of))
    return AgainstView(
        run=run_item(views, RunId(against), now=moment_of(views, look)),
        page=other.page("config"),
        without=look.page("config", q=q),
        parts=config_diffs(views, look, other, q),
    )


def _picker(console: Console, look: Look, q: str, find: str) -> Picker:
    with console.reading.now() as views:
        return picker(
            views,
            find,
            action=f"/runs/{look.run_id}/config",
            field="find",
            label="Compare with job",
            kept={"attempt": look.attempt, "as_of": look.as_of, "q": q},
            address=lambda other: look.page("config", q=q, against=other),
        )


def _text(said: object) -> str | None:
    return str(said) if isinstance(said, (str, int, float)) else None


ROUTES = (config,)
