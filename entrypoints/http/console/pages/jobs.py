"""`/`: the table of jobs; and what belongs to it: columns to choose from, the table as CSV, two jobs to compare."""

from __future__ import annotations

from typing import Annotated

from litestar import Response, get
from litestar.di import NamedDependency, Provide
from litestar.params import FromQuery, QueryParameter, SkipValidation

from application.clock import now
from application.queries.job_column import FactColumn
from application.queries.job_table import Asked, JobTable, Table
from application.queries.job_table_csv import table_csv
from domain.errors import Refused
from entrypoints.http.console.addresses import address_of, pairs
from entrypoints.http.console.console import AsSignedIn, Using, go, here, user_of
from entrypoints.http.console.contexts.jobs import ColumnsPart, JobsPage, JobView
from entrypoints.http.console.pages.job_cells import cell_view
from entrypoints.http.console.pages.job_columns import MOST_OFFERED, chosen, heading, headings, offered
from entrypoints.http.console.pages.job_words import condition_views, order_words, summary_words, without_points
from entrypoints.http.console.rendering import rendered
from entrypoints.http.console.table_look import STATUSES, USUAL, Search, TableLook, page_number, table_look

A_PAGE = 50
_IN_FORM = frozenset({"q", "status", "owner", "tag"})
_NOTHING = Table(
    columns=[], rows=[], first=0, met=0, jobs=0, notes=[], conditions=[], nobody_knows=[], next_cursor=None
)
_FIND = {"table": Provide(table_look, sync_to_thread=False)}
Looking = NamedDependency[SkipValidation[TableLook]]
Tables = NamedDependency[SkipValidation[JobTable]]


@get("/", include_in_schema=False, sync_to_thread=True, dependencies=_FIND)
def jobs(
    request: AsSignedIn,
    console: Using,
    job_table: Tables,
    table: Looking,
    page: FromQuery[str] = "",
    find: Search = "",
) -> Response[bytes]:
    """Jobs that meet every filter and condition, in the order asked for."""
    moment, shown_page, problem = now(), page_number(page), ""
    asked = table.asked()
    with console.reading.now() as views:
        try:
            shown = job_table.numbered(views, asked, now=moment, page=shown_page, size=A_PAGE)
        except Refused as refused:
            shown, problem = _NOTHING, refused.detail
        found = job_table.known_keys(views, find.strip(), MOST_OFFERED + 1) if find.strip() else None
    return rendered(
        JobsPage(
            title="Jobs",
            user=user_of(request),
            jobs=[
                JobView(
                    run=row.run,
                    cells=[cell_view(one, cell) for one, cell in zip(asked.columns, row.cells, strict=True)],
                    lossy=row.lossy,
                )
                for row in shown.rows
            ],
            headings=headings(table, asked),
            name_heading=heading(table, FactColumn("name"), None),
            chosen=chosen(table),
            conditions=condition_views(table, shown),
            problem=problem,
            notes=[one for one in shown.notes if one.comparison != "same"],
            sorted_by=table.sort.column,
            agreed=[one for one in shown.notes if one.comparison == "same" and one.column == table.sort.column],
            without_points=without_points(shown),
            summary=summary_words(shown, filtered=table.filtered),
            order=order_words(table.sort),
            statuses=STATUSES,
            q=table.q,
            status=table.status,
            owner=table.owner,
            tag=table.tag,
            kept=[pair for pair in pairs(table.query()) if pair[0] not in _IN_FORM],
            filters=[pair for pair in pairs(table.query()) if pair[0] in _IN_FORM],
            filtered=table.filtered,
            any_jobs=bool(shown.jobs) or bool(problem),
            here=here(request),
            csv=table.address("/jobs.csv"),
            usual=None if table.usual else table.address(columns=USUAL, pins=0),
            find=find,
            offered=None if found is None else offered(table, find.strip(), found),
            finder=table.address("/jobs/columns"),
            pages=_pages(table, shown, shown_page),
        )
    )


@get("/jobs/columns", include_in_schema=False, sync_to_thread=True, dependencies=_FIND)
def columns(console: Using, job_table: Tables, table: Looking, find: Search = "") -> Response[bytes]:
    """Columns that can be added to the table."""
    sought = find.strip()
    with console.reading.now() as views:
        found = job_table.known_keys(views, sought, MOST_OFFERED + 1)
    return rendered(ColumnsPart(title="Columns", offered=offered(table, sought, found)))


@get("/jobs.csv", include_in_schema=False, sync_to_thread=True, dependencies=_FIND)
def table_file(console: Using, job_table: Tables, table: Looking) -> Response[bytes]:
    """Every job that meets the filters, with the columns that are shown."""
    asked = table.asked()
    whole = Asked(
        columns=(FactColumn("id"), FactColumn("name"), *asked.columns),
        sort=asked.sort,
        where=asked.where,
        status=asked.status,
        owner=asked.owner,
        tag=asked.tag,
        q=asked.q,
    )
    with console.reading.now() as views:
        lines = job_table.lines(views, whole, now=now())
    headers = {"Content-Disposition": 'attachment; filename="jobs.csv"', "Cache-Control": "no-store"}
    text = table_csv(whole.columns, lines)
    return Response(text.encode(errors="replace"), media_type="text/csv", headers=headers)


@get("/jobs/compare", include_in_schema=False, sync_to_thread=False)
def compare(job: Annotated[list[str] | None, QueryParameter(name="job")] = None) -> Response[bytes]:
    """Two jobs that were ticked, side by side."""
    ticked = list(dict.fromkeys(job or ()))
    if len(ticked) != 2:  # noqa: PLR2004 - a pair
        raise Refused.at("job", "tick two jobs to compare")
    return go(address_of("/review", {"left": ticked[0], "right": ticked[1]}))


def _pages(table: TableLook, shown: Table, page: int) -> list[tuple[str, str]]:
    last = max(1, -(-shown.met // A_PAGE))
    wanted = {"First": 1, "Previous": min(page - 1, last), "Next": page + 1, "Last": last}
    behind = {"First", "Previous"}
    return [
        (word, table.address(page=number))
        for word, number in wanted.items()
        if 1 <= number <= last and (number < page if word in behind else number > page)
    ]


ROUTES = (jobs, columns, table_file, compare)
