"""The flags that say what is served, as `serve` and `serving save|check` have them.

What a flag does not say is as in the profile that is named, else as in the default one.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import click

from toolplanner_core.cli.name_lookup import choose_toolkits, only_one
from toolplanner_core.domain.ids import RegionId, RunId
from toolplanner_core.serving.profile import DEFAULT_PROFILE, ServingMode, ServingProfile
from toolplanner_core.serving.profiles import read_profile
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import all_regions

F = TypeVar("F", bound=Callable[..., Any])

_KEPT_FLAGS = (
    click.option(
        "--mode",
        type=click.Choice([str(mode) for mode in ServingMode]),
        help="flat: each API is a tool. toolkits: each toolkit is. search: four tools find and"
        " call all. auto: by their number.",
    ),
    click.option("--toolkit", "toolkits", multiple=True, help="Only this one; can be repeated."),
    click.option("--region", "regions", multiple=True, help="Only its toolkits; can be repeated."),
    click.option("--without", multiple=True, metavar="TOOLKIT", help="Not this one."),
    click.option(
        "--model",
        metavar="ID",
        help="Who fills in the arguments where an agent only says what it needs of a toolkit, such"
        " as openai:NAME. Without one the agent is shown what it can call.",
    ),
)
_START_FLAGS = (
    click.option(
        "--allow",
        type=click.Choice(["read", "write"]),
        default="read",
        help="write: also APIs that may change something; each such call still needs your leave.",
    ),
    click.option("--allow-made-up", is_flag=True, help="Also replies that a provider invents."),
    click.option("--yes", is_flag=True, help="A list of many tools is meant."),
)
FLAG_OF = {
    "profile": "--profile",
    "mode": "--mode",
    "toolkits": "--toolkit",
    "regions": "--region",
    "without": "--without",
    "model": "--model",
    "allow": "--allow",
    "allow_made_up": "--allow-made-up",
    "yes": "--yes",
    "replay": "--replay",
    "faults": "--fault",
}
"""The flags of a profile by their parameters."""
profile_option = click.option(
    "--profile",
    default=DEFAULT_PROFILE,
    metavar="NAME",
    help="What `toolplanner serving save` has kept under this name; other flags change it.",
)


def kept_flags(command: F) -> F:
    """The flags of what a profile keeps."""
    for flag in reversed(_KEPT_FLAGS):
        command = flag(command)
    return command


def start_flags(command: F) -> F:
    """The flags of what is allowed at a start, and never kept."""
    for flag in reversed(_START_FLAGS):
        command = flag(command)
    return command


def chosen_profile(
    workspace: Workspace,
    *,
    profile: str,
    mode: str | None,
    toolkits: tuple[str, ...],
    regions: tuple[str, ...],
    without: tuple[str, ...],
    model: str | None,
    allow: str = "read",
    allow_made_up: bool = False,
    yes: bool = False,
    replay: int | None = None,
    faults: tuple[str, ...] = (),
) -> ServingProfile:
    """What the flags choose.

    Raises:
        NotFound: there is no such profile, toolkit, region or model.
        BadInput: a name means several.
    """
    chosen = read_profile(workspace, profile)
    if mode is not None:
        chosen = replace(chosen, mode=ServingMode(mode))
    if model is not None:
        chosen = replace(chosen, model=model)
    if toolkits or regions:
        chosen = replace(
            chosen,
            toolkits=frozenset(choose_toolkits(workspace, toolkits)) if toolkits else None,
            regions=_choose_regions(workspace, regions) if regions else None,
            without=frozenset(),
        )
    if without:
        chosen = replace(chosen, without=frozenset(choose_toolkits(workspace, without)))
    if chosen.model:
        # Not loaded where nothing asks for it: an agent waits for the list of tools.
        from toolplanner_core.llm.model import models, parse_model_spec

        models.get(parse_model_spec(chosen.model).kind)
    return replace(
        chosen,
        follows=not (toolkits or regions or without),
        allows_changes=allow == "write",
        allows_made_up=allow_made_up,
        is_long_list_meant=yes,
        replay=None if replay is None else RunId(replay),
        faults=faults,
    )


def _choose_regions(workspace: Workspace, texts: tuple[str, ...]) -> frozenset[RegionId]:
    from toolplanner_core.curation.grouping.region_keeping import keep_regions

    keep_regions(workspace)
    living = [(number, each.name) for number, each in all_regions(workspace.reader()).items()]
    return frozenset(only_one(text, living, what="region", path=workspace.path) for text in texts)
