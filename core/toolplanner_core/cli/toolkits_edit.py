"""`toolplanner toolkits rename|describe|note|merge|move|new|pin|...`: edit toolkits, one edit a
command.

Each is one entry of the history and can be undone: `toolplanner history undo`.

`toolplanner toolkits split`: into parts by number, by a text, or by chosen APIs.
"""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import click

from toolplanner_core.cli.editing import done_row, edit_command, edit_options, make_edit, print_done
from toolplanner_core.cli.name_lookup import NOWHERE, choose_apis, choose_toolkit, choose_toolkits
from toolplanner_core.cli.options import SEED, FiniteFloat, in_workspace
from toolplanner_core.cli.terminal import print_json, print_table, say
from toolplanner_core.curation.edits.describe import AnswerNames, Describe, Note, Rename
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.marks import Exclude, Include, Link, PinApis, PinToolkits
from toolplanner_core.curation.edits.move import Merge, Move, NewToolkit
from toolplanner_core.curation.edits.provenance import take_out_of_merge
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.curation.grouping.splitting import (
    ProposedSplit,
    propose_split,
    propose_split_by_text,
    propose_split_of,
)
from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import list_toolkits

EDIT_COMMANDS: list[click.Command] = []
"""For the group in `toolkits.py`, in the order of its help."""
_PLANNING: dict[str, click.Command] = {}
"""What makes an edit of the words of a command, by its name, without doing it."""
_toolkit = click.argument("toolkit", metavar="TOOLKIT")
_toolkits = click.argument("toolkits", metavar="[TOOLKIT]...", nargs=-1)
_apis = click.argument("apis", metavar="API...", nargs=-1, required=True)


def _edit(name: str) -> Callable[[Callable[..., Edit]], None]:
    def keep(plan: Callable[..., Edit]) -> None:
        given: Sequence[click.Parameter] = getattr(plan, "__click_params__", ())
        _PLANNING[name] = click.Command(name, params=[*reversed(given)], callback=plan)
        EDIT_COMMANDS.append(edit_command(name)(plan))

    return keep


def edit_from_words(workspace: Workspace, words: str) -> Edit:
    """An edit by the words that would make it: "merge 17 42" for `toolkits merge W 17 42`.

    Raises:
        NotFound: there is no such command, toolkit or API.
        BadInput: the words cannot be read.
        click.UsageError: what the command needs is not there.
    """
    try:
        name, *rest = shlex.split(words)
    except ValueError as error:
        raise BadInput("An edit cannot be read", where=words, why=str(error)) from error
    if name not in _PLANNING:
        raise NotFound(f"There is no edit {name!r}", todo=f"There are: {', '.join(_PLANNING)}")
    command = _PLANNING[name]
    context = command.make_context(name, rest)
    assert command.callback is not None, "it was made with one"
    return command.callback(workspace, **context.params)


@_edit("rename")
@_toolkit
@click.argument("name")
def rename_command(workspace: Workspace, toolkit: str, name: str) -> Edit:
    """Give a toolkit another name; warns of another one that has it."""
    chosen, wanted = choose_toolkit(workspace, toolkit), " ".join(name.split())
    for other in list_toolkits(workspace):
        if other.id != chosen and other.name.casefold() == wanted.casefold():
            say(
                f"Warning: toolkit {other.id} is called “{other.name}”, too; to make them one:"
                f" toolplanner toolkits merge {workspace.path} {other.id} {chosen}"
            )
    return Rename(toolkit=chosen, name=name)


@_edit("answer-names")
@_toolkits
@click.option("--all", "is_all", is_flag=True, help="All for which another name is proposed.")
@click.option("--keep", is_flag=True, help="Keep the names they have, and forget the proposals.")
def answer_names_command(
    workspace: Workspace, toolkits: tuple[str, ...], is_all: bool, keep: bool
) -> Edit:
    """Take the names that are proposed for toolkits whose members changed, as one edit; list them
    with: toolplanner toolkits names"""
    if bool(toolkits) == is_all:
        raise BadInput("Whose names is not clear", todo="Name toolkits, or give --all")
    chosen = choose_toolkits(workspace, toolkits)
    if is_all:
        chosen = [one.id for one in list_toolkits(workspace) if one.proposed_name]
    return AnswerNames(toolkits=tuple(chosen), is_taken=not keep)


@_edit("describe")
@_toolkit
@click.argument("description")
def describe_command(workspace: Workspace, toolkit: str, description: str) -> Edit:
    """Give a toolkit another description: what a planner reads about it."""
    return Describe(toolkit=choose_toolkit(workspace, toolkit), description=description)


@_edit("note")
@_toolkit
@click.argument("note")
def note_command(workspace: Workspace, toolkit: str, note: str) -> Edit:
    """Write a note for people about a toolkit; no planner reads it. "" takes it away."""
    return Note(toolkit=choose_toolkit(workspace, toolkit), note=note)


@_edit("merge")
@click.argument("into", metavar="INTO")
@click.argument("others", metavar="TOOLKIT...", nargs=-1, required=True)
@click.option("--name", default="", help="A new name for the result; else INTO keeps its own.")
@click.option("--leave-out", multiple=True, metavar="API", help="Let this API stay; repeatable.")
def merge_command(
    workspace: Workspace, into: str, others: tuple[str, ...], name: str, leave_out: tuple[str, ...]
) -> Edit:
    """Move the members of toolkits into one, INTO, which keeps its id and its name."""
    target, *sources = choose_toolkits(workspace, [into, *others])
    return Merge(
        toolkits=tuple(sources),
        into=target,
        left_out=choose_apis(workspace, leave_out),
        name=" ".join(name.split()),
    )


@_edit("take-out")
@_apis
def take_out_command(workspace: Workspace, apis: tuple[str, ...]) -> Edit:
    """Bring APIs back to the toolkits they were in before they were merged."""
    return take_out_of_merge(workspace, choose_apis(workspace, apis))


@_edit("move")
@_apis
@click.option(
    "--to", required=True, metavar="TOOLKIT", help=f'Where they go; "{NOWHERE}": to no toolkit.'
)
@click.option("--no-pin", is_flag=True, help="Let a later clustering move them again.")
def move_command(workspace: Workspace, apis: tuple[str, ...], to: str, no_pin: bool) -> Edit:
    """Put APIs into a toolkit, and pin them there."""
    return Move(
        rowids=choose_apis(workspace, apis),
        to=None if to == NOWHERE else choose_toolkit(workspace, to),
        is_pinned=not no_pin,
    )


@_edit("new")
@click.argument("name")
@_apis
@click.option("--description", default="", help="What a planner reads about it.")
def new_command(workspace: Workspace, name: str, apis: tuple[str, ...], description: str) -> Edit:
    """Make a toolkit of APIs, wherever they are now."""
    return NewToolkit(rowids=choose_apis(workspace, apis), name=name, description=description)


def _pin_command(name: str, words: str, *, is_pinned: bool) -> None:
    def pin(workspace: Workspace, toolkits: tuple[str, ...], apis: tuple[str, ...]) -> Edit:
        if bool(toolkits) == bool(apis):
            raise BadInput("Name either toolkits or APIs", todo="Use TOOLKIT... or --api API")
        if apis:
            return PinApis(rowids=choose_apis(workspace, apis), is_pinned=is_pinned)
        chosen = tuple(choose_toolkits(workspace, toolkits))
        return PinToolkits(toolkits=chosen, is_pinned=is_pinned)

    pin.__doc__ = words
    some = f"{name.capitalize()} this API; repeatable."
    api = click.option("--api", "apis", multiple=True, metavar="API", help=some)
    _edit(name)(_toolkits(api(pin)))


_pin_command(
    "pin",
    "Fix whole toolkits, or APIs in the toolkit they are in: no machine changes them any more.",
    is_pinned=True,
)
_pin_command("unpin", "Let go of pinned toolkits or APIs.", is_pinned=False)


@_edit("exclude")
@_apis
@click.option("--reason", default="", help="Why, for people.")
def exclude_command(workspace: Workspace, apis: tuple[str, ...], reason: str) -> Edit:
    """Offer APIs to no plan; they stay in their toolkits and on the map."""
    return Exclude(rowids=choose_apis(workspace, apis), reason=reason)


@_edit("include")
@_apis
def include_command(workspace: Workspace, apis: tuple[str, ...]) -> Edit:
    """Offer excluded APIs to plans again."""
    return Include(rowids=choose_apis(workspace, apis))


@_edit("link")
@_apis
@click.option("--must", "link", flag_value=LinkKind.MUST.value, help="Keep them in one toolkit.")
@click.option(
    "--cannot", "link", flag_value=LinkKind.CANNOT.value, help="Keep each two of them apart."
)
@click.option("--remove", "link", flag_value="", help="Take links between them away.")
def link_command(workspace: Workspace, apis: tuple[str, ...], link: str | None) -> Edit:
    """Say that APIs must, or must not, be in one toolkit, for every later clustering."""
    if link is None:
        raise BadInput("What kind of link is missing", todo="Give --must, --cannot or --remove")
    return Link(rowids=choose_apis(workspace, apis), link=link)


class _PartCount(click.ParamType[Any]):
    """A number of parts, or "auto"."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | Literal["auto"]:
        if value == "auto":
            return "auto"
        return click.IntRange(2, 1000).convert(value, param, ctx)


@click.command("split")
@in_workspace
@click.argument("toolkit", metavar="TOOLKIT")
@click.option("--k", type=_PartCount(), metavar="N|auto", help="Into so many parts by meaning.")
@click.option("--query", metavar="TEXT", help="Part off what is like this text.")
@click.option("--api", "apis", multiple=True, metavar="API", help="Part off this; repeatable.")
@click.option(
    "--method",
    type=click.Choice(["kmeans", "agglomerative"]),
    default="kmeans",
    show_default=True,
    help="With --k: parts of similar size, or what lies apart.",
)
@click.option(
    "--threshold",
    type=FiniteFloat(-1, 1),
    help="With --query: least cosine; else where the cosines part best.",
)
@click.option("--seed", type=SEED, default=0, show_default=True)
@click.option("--name", "names", multiple=True, help="Of the new toolkits, in order; repeatable.")
@edit_options
def split_command(
    *,
    workspace: Workspace,
    toolkit: str,
    k: int | Literal["auto"] | None,
    query: str | None,
    apis: tuple[str, ...],
    method: Literal["kmeans", "agglomerative"],
    threshold: float | None,
    seed: int,
    names: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
) -> None:
    """Split a toolkit; the largest part, or what is not chosen, keeps its id and its name."""
    if (k is not None) + (query is not None) + bool(apis) != 1:
        raise BadInput("How to split is not clear", todo="Give one of --k, --query and --api")
    chosen = choose_toolkit(workspace, toolkit)
    if query is not None:
        proposed = propose_split_by_text(workspace, chosen, query, threshold=threshold)
    elif apis:
        proposed = propose_split_of(workspace, chosen, choose_apis(workspace, apis))
    else:
        proposed = propose_split(workspace, chosen, k=k or "auto", method=method, seed=seed)
    edit = _named(proposed.edit, names)
    done = make_edit(workspace, edit, dry_run=dry_run, origin=proposed.origin)
    parts = _part_rows(proposed, edit)
    if as_json:
        print_json(done_row(done, dry_run=dry_run) | {"parts": parts})
        return
    print_table(
        ["Part", ">Size", "Description"],
        [[part["name"], part["size"], part["description"]] for part in parts],
    )
    print_done(workspace, done, dry_run=dry_run, as_json=False)


def _named(edit: Split, names: tuple[str, ...]) -> Split:
    if len(names) > len(edit.parts):
        raise BadInput(f"{len(names)} names were given for {len(edit.parts)} new toolkits")
    if not names:
        return edit
    if any(not name.strip() for name in names):
        raise BadInput("A new toolkit needs a name")
    given = tuple(" ".join(name.split()) for name in names)
    return replace(edit, names=given + edit.names[len(given) :], name_author=Author.PERSON.value)


def _part_rows(proposed: ProposedSplit, edit: Split) -> list[dict[str, Any]]:
    names = [proposed.parts[0].name, *edit.names]
    return [
        {"name": name, "size": len(part.rowids), "description": part.description}
        for name, part in zip(names, proposed.parts, strict=True)
    ]
