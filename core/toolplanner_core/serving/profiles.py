"""Profiles of what is served, kept in the workspace under names.

What changes something, invented replies and faults are allowed by whoever starts a gateway, each
time: a file that came from elsewhere allows none of it.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, cast

from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.serving.profile import DEFAULT_PROFILE, ServingMode, ServingProfile
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import change_setting, get_setting, setting_text

_SETTING = "serving_profiles"
_LONGEST_NAME = 60


def profile_names(workspace: Workspace) -> list[str]:
    """The names of the profiles that are kept, sorted."""
    return sorted(_kept(workspace))


def read_profile(workspace: Workspace, name: str) -> ServingProfile:
    """A profile. The default one is there always: all is served until somebody says otherwise.

    Raises:
        NotFound: there is no such profile.
        BadInput: what is kept of it cannot be read.
    """
    kept = _kept(workspace).get(name)
    if kept is None and name != DEFAULT_PROFILE:
        listed = ", ".join(profile_names(workspace)) or "none is kept yet"
        raise NotFound(f"There is no profile “{name}” of what is served", todo=f"Known: {listed}")
    return _profile(name, kept or {})


def kept_version(workspace: Workspace) -> str:
    """What is kept of all profiles, as a text: another one where somebody has changed one."""
    return setting_text(workspace, _SETTING)


def save_profile(workspace: Workspace, profile: ServingProfile) -> None:
    """Keep a profile under its name, in the place of one that is kept under it. Blocks.

    Raises:
        BadInput: the name cannot be one.
    """
    name = profile.name
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable() or "/" in name:
        raise BadInput(f"{name!r} is no name of a profile", todo="Give some letters without a /")
    row = profile_row(profile)
    change_setting(workspace, _SETTING, lambda kept: {**_rows(kept), name: row})


def remove_profile(workspace: Workspace, name: str) -> None:
    """Forget a profile. Blocks.

    Raises:
        NotFound: there is none.
    """
    if name not in _kept(workspace):
        raise NotFound(f"No profile “{name}” is kept")
    change_setting(
        workspace,
        _SETTING,
        lambda kept: {each: row for each, row in _rows(kept).items() if each != name},
    )


def serve_toolkits(
    workspace: Workspace, toolkits: Collection[ToolkitId], *, is_served: bool
) -> ServingProfile:
    """Serve toolkits in the default profile, or do not; what it is then. Blocks."""
    kept = read_profile(workspace, DEFAULT_PROFILE)
    if is_served:
        more = None if kept.toolkits is None else kept.toolkits | set(toolkits)
        changed = replace(kept, toolkits=more, without=kept.without - set(toolkits))
    else:
        changed = replace(kept, without=kept.without | set(toolkits))
    save_profile(workspace, changed)
    return changed


def profile_row(profile: ServingProfile) -> dict[str, Any]:
    """What is kept of a profile, as JSON; what is as usual is left out."""
    row: dict[str, Any] = {}
    if profile.mode is not ServingMode.AUTO:
        row["mode"] = str(profile.mode)
    if profile.model:
        row["model"] = profile.model
    for name, chosen in (("toolkits", profile.toolkits), ("regions", profile.regions)):
        if chosen is not None:
            row[name] = sorted(chosen)
    if profile.without:
        row["without"] = sorted(profile.without)
    return row


def _profile(name: str, row: Mapping[str, Any]) -> ServingProfile:
    try:
        toolkits, regions = row.get("toolkits"), row.get("regions")
        return ServingProfile(
            name=name,
            mode=ServingMode(row.get("mode", ServingMode.AUTO)),
            model=str(row.get("model", "")),
            toolkits=None if toolkits is None else frozenset(ToolkitId(int(n)) for n in toolkits),
            regions=None if regions is None else frozenset(RegionId(int(n)) for n in regions),
            without=frozenset(ToolkitId(int(n)) for n in row.get("without", ())),
        )
    except (TypeError, ValueError) as error:
        raise BadInput(
            f"What is kept of the profile “{name}” cannot be read",
            why=str(error),
            todo="Save it again",
        ) from error


def _kept(workspace: Workspace) -> dict[str, Mapping[str, Any]]:
    return _rows(get_setting(workspace, _SETTING))


def _rows(kept: Any) -> dict[str, Mapping[str, Any]]:
    rows = cast("Mapping[Any, Any]", kept) if isinstance(kept, Mapping) else {}
    return {str(name): row for name, row in rows.items() if isinstance(row, Mapping)}
