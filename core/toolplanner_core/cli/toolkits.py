"""`toolplanner toolkits`: list, show, export and report toolkits; the group of all commands on
them.
"""

import dataclasses
from pathlib import Path

import click

from toolplanner_core.cli.apis import api_row
from toolplanner_core.cli.export_options import export_options, hand_out
from toolplanner_core.cli.name_lookup import choose_toolkit, choose_toolkits
from toolplanner_core.cli.options import FilePath, in_workspace, json_option
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, print_table, say
from toolplanner_core.cli.toolkits_decisions import apply_command, merge_decisions_command
from toolplanner_core.cli.toolkits_edit import EDIT_COMMANDS, split_command
from toolplanner_core.curation.looking.catalogue_report import catalogue_report, read_figures
from toolplanner_core.curation.looking.details import AUTHOR_WORDS
from toolplanner_core.curation.sharing.exports.export_forms import export_form, export_forms
from toolplanner_core.curation.sharing.exports.form import ExportRequest
from toolplanner_core.curation.sharing.exports.tools import exported_tools
from toolplanner_core.settings import person_name
from toolplanner_core.tool_schemas.checking import DialectCheck, check_dialects
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.toolkits import get_toolkit, list_toolkits, member_rowids

_FORMS = export_forms()
_MOST_REASONS = 10


@click.command("export")
@in_workspace
@export_options(
    list(_FORMS), "; ".join(f"{form.id} {form.description}" for form in _FORMS.values()) + "."
)
@click.option(
    "--toolkit", "chosen", multiple=True, metavar="TOOLKIT", help="Only this; repeatable."
)
@click.option(
    "--check",
    "is_check",
    is_flag=True,
    help="Write nothing: say for each dialect how many tools its endpoint would refuse, and why.",
)
def export_command(
    *,
    workspace: Workspace,
    format_id: str,
    chosen: tuple[str, ...],
    is_check: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Write toolkits to a file. With one --toolkit, a form for models is the bare list of its
    tools."""
    toolkits = choose_toolkits(workspace, chosen) if chosen else None
    request = ExportRequest(workspace=workspace, toolkits=toolkits, who=person_name())
    if is_check:
        checks = check_dialects(exported_tools(request))
        _print_checks(checks, as_json=as_json)
        if any(check.refused for check in checks):
            raise SystemExit(1)
        return
    form = export_form(format_id)
    hand_out(form.write(request), output, as_json=as_json, format=format_id)
    if note := form.note(request):
        say(note)


def _print_checks(checks: list[DialectCheck], *, as_json: bool) -> None:
    print_rows(
        checks,
        ["Dialect", "For", ">Tools", ">At most", ">Refused", ">Longest name", ">About tokens"],
        lambda check: [
            check.dialect.id,
            check.dialect.title,
            f"{check.tools:,}",
            "" if check.dialect.most_tools is None else f"{check.dialect.most_tools:,}",
            f"{check.refused:,}",
            f"{check.longest_name}",
            f"{check.tokens:,}",
        ],
        as_json=as_json,
        to_json=lambda check: {
            "dialect": check.dialect.id,
            "tools": check.tools,
            "most_tools": check.dialect.most_tools,
            "refused": check.refused,
            "longest_name": check.longest_name,
            "tokens": check.tokens,
            "reasons": check.reasons,
            "warning": check.warning,
        },
        empty="There are no dialects",
    )
    if as_json:
        return
    for check in checks:
        for reason, count in list(check.reasons.items())[:_MOST_REASONS]:
            print_line(f"{check.dialect.id}: {count:,} refused for {reason}")
        if check.warning:
            print_line(f"{check.dialect.id}: {check.tools:,} are too many: {check.warning}")
    if any(check.warning for check in checks):
        print_line(
            "Let a model search them (toolplanner serve WORKSPACE --mode search lists four tools"
            " that find and call all), or name some with --toolkit."
        )


@click.command("report")
@in_workspace
@click.option("--output", type=FilePath(), help="A file instead of stdout.")
def report_command(workspace: Workspace, output: Path | None) -> None:
    """Write how the catalogue stands: sizes, toolkits of one API, duplicates, health, what to do
    next; Markdown."""
    text = catalogue_report(read_figures(workspace), name=workspace.path.name)
    hand_out([text], output, as_json=False)


@click.group()
def toolkits() -> None:
    """List, show, edit and export toolkits, apply edits made elsewhere.

    A TOOLKIT is its number, or its name where only one has it. An API is its id, the beginning of
    it, its key CATEGORY/TOOL/NAME, or "-" for lines on stdin.
    """


for _command in (
    *EDIT_COMMANDS,
    split_command,
    export_command,
    report_command,
    apply_command,
    merge_decisions_command,
):
    toolkits.add_command(_command)


@toolkits.command("list")
@in_workspace
@json_option
def list_command(workspace: Workspace, as_json: bool) -> None:
    """List all toolkits by name."""
    found = list_toolkits(workspace)
    print_rows(
        found,
        [">Id", "Name", ">Size", "Pinned", "Description"],
        lambda t: [t.id, t.name, f"{t.size:,}", "yes" if t.pinned else "", t.description],
        as_json=as_json,
        to_json=dataclasses.asdict,
        empty=f"There are no toolkits yet. Make them with: toolplanner prepare {workspace.path}",
    )


@toolkits.command("names")
@in_workspace
@json_option
def names_command(workspace: Workspace, as_json: bool) -> None:
    """List other names that are proposed for toolkits whose members changed."""
    print_rows(
        [one for one in list_toolkits(workspace) if one.proposed_name],
        [">Id", "Called now", ">Size", "Proposed"],
        lambda one: [one.id, one.name, f"{one.size:,}", one.proposed_name],
        as_json=as_json,
        to_json=lambda one: {"id": one.id, "name": one.name, "proposed": one.proposed_name},
        empty="No name is proposed: all toolkits keep theirs.",
    )


@toolkits.command("show")
@in_workspace
@click.argument("toolkit", metavar="TOOLKIT")
@json_option
def show_command(workspace: Workspace, toolkit: str, as_json: bool) -> None:
    """Show a toolkit with its members, most central first."""
    shown = get_toolkit(workspace, choose_toolkit(workspace, toolkit))
    rowids = member_rowids(workspace, shown.id)
    by_rowid = apis_by_rowid(workspace, rowids)
    members = [by_rowid[rowid] for rowid in rowids]
    rows = [api_row(workspace, api) for api in members]
    if as_json:
        print_json(dataclasses.asdict(shown) | {"members": rows})
        return
    print_line(f"{shown.name} ({AUTHOR_WORDS[shown.name_author]})")
    print_line(shown.description)
    print_line()
    print_table(
        ["Id", "Tool", "API", "Description"],
        [[api.id, api.tool, api.name, api.description] for api in members],
    )
