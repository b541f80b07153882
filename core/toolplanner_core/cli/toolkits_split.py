"""`toolplanner toolkits split`: into parts by number, by a text, or by chosen APIs."""

from dataclasses import replace
from typing import Any, Literal

import click

from toolplanner_core.cli.choosing import choose_apis, choose_toolkit
from toolplanner_core.cli.editing import done_row, edit_options, make_edit, print_done
from toolplanner_core.cli.options import SEED, FiniteFloat, in_workspace
from toolplanner_core.cli.terminal import print_json, print_table
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.curation.grouping.splitting import (
    ProposedSplit,
    propose_split,
    propose_split_by_text,
    propose_split_of,
)
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace


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
    """Split a toolkit; the largest part, or what is not chosen, keeps its id, and its name unless
    the rule finds a better one."""
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
