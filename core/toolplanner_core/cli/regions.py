"""`toolplanner regions`: list regions, and rename, merge, pin and fill them, one edit a command."""

import dataclasses
from collections import Counter

import click

from toolplanner_core.cli.editing import edit_command
from toolplanner_core.cli.name_lookup import choose_toolkits, only_one
from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.terminal import print_rows
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.region import (
    MergeRegions,
    MoveToRegion,
    PinRegions,
    RenameRegion,
)
from toolplanner_core.curation.grouping.region_keeping import keep_regions
from toolplanner_core.domain.ids import RegionId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import all_region_of, all_regions
from toolplanner_core.workspace.toolkits import list_toolkits

_region = click.argument("region", metavar="REGION")
_regions = click.argument("regions", metavar="REGION...", nargs=-1, required=True)


@click.group()
def regions() -> None:
    """List and edit regions: the level above toolkits.

    A REGION is its number, or its name where only one has it. Workspaces with few toolkits have
    none.
    """


@regions.command("list")
@in_workspace
@json_option
def list_command(workspace: Workspace, as_json: bool) -> None:
    """List all regions with their toolkits and APIs."""
    keep_regions(workspace)
    db = workspace.reader()
    region_of = all_region_of(db)
    toolkits, apis = Counter[RegionId](), Counter[RegionId]()
    for toolkit in list_toolkits(workspace):
        if (region := region_of.get(toolkit.id)) is not None:
            toolkits[region] += 1
            apis[region] += toolkit.size
    print_rows(
        list(all_regions(db).items()),
        [">Id", "Name", ">Toolkits", ">APIs", "Pinned"],
        lambda row: [
            row[0],
            row[1].name,
            f"{toolkits[row[0]]:,}",
            f"{apis[row[0]]:,}",
            "yes" if row[1].is_pinned else "",
        ],
        as_json=as_json,
        to_json=lambda row: (
            {"id": row[0]}
            | dataclasses.asdict(row[1])
            | {"toolkits": toolkits[row[0]], "apis": apis[row[0]]}
        ),
        empty="There are no regions: they are for workspaces with many toolkits.",
    )


@edit_command("rename")
@_region
@click.argument("name")
def rename_command(workspace: Workspace, region: str, name: str) -> Edit:
    """Give a region another name."""
    return RenameRegion(region=_choose(workspace, region), name=name)


@edit_command("merge")
@click.argument("into", metavar="INTO")
@_regions
def merge_command(workspace: Workspace, into: str, regions: tuple[str, ...]) -> Edit:
    """Put the toolkits of regions into one, INTO; the others end."""
    others = tuple(_choose(workspace, region) for region in regions)
    return MergeRegions(regions=others, into=_choose(workspace, into))


@edit_command("move")
@click.argument("toolkits", metavar="TOOLKIT...", nargs=-1, required=True)
@click.option("--to", required=True, metavar="REGION", help="Where they go.")
def move_command(workspace: Workspace, toolkits: tuple[str, ...], to: str) -> Edit:
    """Put toolkits into another region."""
    chosen = tuple(choose_toolkits(workspace, toolkits))
    return MoveToRegion(toolkits=chosen, region=_choose(workspace, to))


@edit_command("pin")
@_regions
def pin_command(workspace: Workspace, regions: tuple[str, ...]) -> Edit:
    """Pin regions: no rule puts toolkits into them."""
    return PinRegions(regions=tuple(_choose(workspace, region) for region in regions))


@edit_command("unpin")
@_regions
def unpin_command(workspace: Workspace, regions: tuple[str, ...]) -> Edit:
    """Unpin regions."""
    chosen = tuple(_choose(workspace, region) for region in regions)
    return PinRegions(regions=chosen, is_pinned=False)


for _command in (rename_command, merge_command, move_command, pin_command, unpin_command):
    regions.add_command(_command)


def _choose(workspace: Workspace, text: str) -> RegionId:
    living = all_regions(workspace.reader())
    names = [(region, fields.name) for region, fields in living.items()]
    return only_one(text, names, what="region", path=workspace.path)
