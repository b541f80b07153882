"""Which toolkits and APIs a person means on the command line.

A toolkit: its number, or its name where only one has it. An API: its id of 16 hex digits, a
beginning of it that only one has, or the catalogue's own key: "Logistics/suivi_colis/latest".
Called by all commands that edit toolkits.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import ApiName, api_names, get_api, rowids_of
from toolplanner_core.workspace.toolkits import list_toolkits

Id = TypeVar("Id", bound=int)

NOWHERE = "none"
"""What stands for "no toolkit"."""

_SHORTEST = 4
"""Characters of an id that say something."""


def choose_toolkit(workspace: Workspace, text: str) -> ToolkitId:
    """The living toolkit that is meant.

    Raises:
        NotFound: none has this number or name.
        BadInput: several have this name.
    """
    return choose_toolkits(workspace, [text])[0]


def choose_toolkits(workspace: Workspace, texts: Sequence[str]) -> list[ToolkitId]:
    """The living toolkits that are meant, in the order given.

    Raises:
        NotFound, BadInput: as `choose_toolkit`.
    """
    living = [(toolkit.id, toolkit.name) for toolkit in list_toolkits(workspace)]
    return [only_one(text, living, what="toolkit", path=workspace.path) for text in texts]


def only_one(text: str, living: Sequence[tuple[Id, str]], *, what: str, path: Path) -> Id:
    """What has this number, or alone has this name.

    Args:
        living: numbers and names.
        what: "toolkit".

    Raises:
        NotFound, BadInput: as `choose_toolkit`.
    """
    found = [number for number, _ in living if str(number) == text]
    found = found or [number for number, name in living if name == text]
    found = found or [n for n, name in living if name.casefold() == text.casefold()]
    if not found:
        raise NotFound(
            f"There is no {what} “{text}”",
            why="It never existed, or it was merged, split or undone",
            todo=f"List them with: toolplanner {what}s list {path}",
        )
    if len(found) > 1:
        numbers = ", ".join(map(str, found))
        raise BadInput(
            f"{len(found)} {what}s are called “{text}”", todo=f"Use the number: {numbers}"
        )
    return found[0]


def choose_apis(workspace: Workspace, texts: Sequence[str]) -> tuple[int, ...]:
    """Row ids of the APIs that are meant, in the order given; "-" reads texts from stdin, one a
    line.

    Raises:
        NotFound: none has this id or key.
        BadInput: several have it.
    """
    wanted: list[str] = []
    for text in texts:
        lines = sys.stdin.read().splitlines() if text == "-" else [text]
        wanted += [line.strip() for line in lines if line.strip()]
    chosen = _chosen(workspace, wanted)
    rowids = rowids_of(workspace, chosen)
    return tuple(dict.fromkeys(rowids[api] for api in chosen))


def choose_api(workspace: Workspace, text: str) -> Api:
    """The one API that is meant.

    Raises:
        NotFound, BadInput: as `choose_apis`.
    """
    return get_api(workspace, _chosen(workspace, [text])[0])


def _chosen(workspace: Workspace, texts: Sequence[str]) -> list[ApiId]:
    names = api_names(workspace)
    by_key: dict[str, list[ApiName]] = {}
    for name in names:
        by_key.setdefault(name.key, []).append(name)
    ids = {name.id for name in names}
    return [_choose(names, ids, by_key, text) for text in texts]


def _choose(
    names: Sequence[ApiName], ids: set[ApiId], by_key: dict[str, list[ApiName]], text: str
) -> ApiId:
    if text.lower() in ids:
        return ApiId(text.lower())
    found = by_key.get(text, [])
    if not found and len(text) >= _SHORTEST:
        found = [name for name in names if name.id.startswith(text.lower())]
    if len(found) == 1:
        return found[0].id
    if found:
        shown = ", ".join(f"{name.id} ({name.key})" for name in found[:3])
        more = f" and {len(found) - 3:,} more" if len(found) > 3 else ""
        raise BadInput(f"“{text}” can mean {len(found):,} APIs", why=f"{shown}{more}")
    raise NotFound(
        f"There is no API “{text}”",
        todo="Give its id, the beginning of it, or its key CATEGORY/TOOL/NAME;"
        " find it with: toolplanner search",
    )
