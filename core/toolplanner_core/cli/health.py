"""`toolplanner health`: how calls of APIs ended, and a check of those that only read."""

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.run import carry_out
from toolplanner_core.cli.terminal import print_line, print_rows, say
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import BadInput, Cancelled, NotFound
from toolplanner_core.runs.preview.health_check import health_check
from toolplanner_core.words.formatting import counted, duration, when
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import CallFigures, call_figures
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid, rowids_of
from toolplanner_core.workspace.toolkits import list_toolkits, member_rowids

_TITLES = {"api": "API", "toolkit": "Toolkit"}


class _Row(NamedTuple):
    """An API or a toolkit with its calls."""

    id: str
    title: str
    calls: CallFigures
    """At least one counts."""

    @property
    def health(self) -> float:
        """Share of the calls that worked, 0 to 1."""
        return self.calls.health or 0.0

    def to_json(self) -> Mapping[str, Any]:
        """For machines."""
        c = self.calls
        return {
            "id": self.id, "title": self.title, "calls": c.n, "ok": c.n_ok,
            "health": round(self.health, 4), "p50_ms": c.p50_ms, "p95_ms": c.p95_ms,
            "last_error": c.last_error,
        }  # fmt: skip

    def cells(self) -> list[str]:
        """For people."""
        c = self.calls
        times = ("–" if ms is None else duration(ms / 1e3) for ms in (c.p50_ms, c.p95_ms))
        at = f" ({when(c.last_error_us / 1e6)})" if c.last_error else ""
        return [self.id, self.title, str(c.n), f"{self.health:.0%}", *times, c.last_error + at]


@click.group()
def health() -> None:
    """How calls of APIs ended in all runs: success, time of replies, last error.

    Replies that were made up, faults that were injected, calls that were not sent and imported
    copies do not count; nor does a reply that what was asked for is not there, which is a fault of
    the question. A health check asks for what the documentation names, so there it counts.
    """


@health.command("list")
@in_workspace
@click.option("--by", type=click.Choice(list(_TITLES)), default="api", help="Rows.")
@json_option
def list_command(workspace: Workspace, by: str, as_json: bool) -> None:
    """List what was called, the least healthy first."""
    figures = call_figures(workspace)
    rows = _of_apis(workspace, figures) if by == "api" else _of_toolkits(workspace, figures)
    rows.sort(key=lambda row: (row.calls.smoothed, row.title))
    print_rows(
        rows,
        ["Id", _TITLES[by], ">Calls", ">Health", ">Half within", ">95 % within", "Last error"],
        _Row.cells,
        as_json=as_json,
        to_json=_Row.to_json,
        empty="Nothing was called yet: toolplanner health probe WORKSPACE",
    )  # fmt: skip


@health.command("probe")
@in_workspace
@click.argument("apis", metavar="[API]...", nargs=-1)
@click.option("--most", default=20, show_default=True, type=click.IntRange(1, 500))
@click.option("--yes", is_flag=True, help="Do not ask before the calls.")
@json_option
def probe_command(
    *, workspace: Workspace, apis: tuple[str, ...], most: int, yes: bool, as_json: bool
) -> int:
    """Call APIs that only read, once each, with documented values.

    Without API ids those are taken that were never called. It is a run like any other, which can
    be looked at, replayed and stopped.
    """
    rowids = list(rowids_of(workspace, map(ApiId, apis)).values())
    if len(rowids) < len(set(apis)):
        raise NotFound("Not all of these are APIs", todo="Find them with: toolplanner search")
    check = health_check(workspace, rowids or _never_called(workspace), most=most)
    if not check.apis:
        raise BadInput("Nothing can be called", why=check.words)
    if not yes:
        say(f"{check.words}\n{check.listed}")
        if not sys.stdin.isatty():
            raise BadInput("Nobody is there to be asked", todo="Look at the list, then add --yes")
        if not click.confirm(f"Call {counted(len(check.apis), 'API')}?", err=True):
            raise Cancelled("Nothing was called")
    status = carry_out(workspace, check.spec, tree=False, as_json=as_json)
    if not as_json:
        print_line("See them with: toolplanner health list")
    return status


def _of_apis(workspace: Workspace, figures: Mapping[int, CallFigures]) -> list[_Row]:
    apis = apis_by_rowid(workspace, [rowid for rowid, each in figures.items() if each.n])
    return [_Row(apis[rowid].id, apis[rowid].title, figures[rowid]) for rowid in apis]


def _of_toolkits(workspace: Workspace, figures: Mapping[int, CallFigures]) -> list[_Row]:
    rows: list[_Row] = []
    total_of_none = CallFigures(n_ok=0, n_failed=0)
    for toolkit in list_toolkits(workspace):
        total = total_of_none
        for rowid in member_rowids(workspace, toolkit.id):
            total = total.plus(figures.get(rowid, total_of_none))
        if total.n:
            rows.append(_Row(str(toolkit.id), toolkit.name, total))
    return rows


def _never_called(workspace: Workspace) -> list[int]:
    known = call_figures(workspace)
    return [rowid for rowid in all_rowids(workspace) if rowid not in known or not known[rowid].n]
