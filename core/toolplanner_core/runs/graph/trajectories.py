"""Which APIs were called one after the other on the way to an answer: of runs that answered,
imported ones among them, and of files with gold paths.

Ways that a search left (pruned branches, attempts that fell back) are no part of it, nor are calls
that failed or whose result was rejected.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from toolplanner_core.domain.ids import ApiId, RunId
from toolplanner_core.domain.plan import NOT_REFUTED
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.tree.served import served_calls
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid, rowids_of
from toolplanner_core.workspace.runs import rows_with_status

_LARGEST = 50_000_000
_MOST_REPEATS = 100
_NAMED = 10


class GoldPaths(NamedTuple):
    """Trajectories of a file.

    Attributes:
        paths: those of which every API was found.
        unknown: names that no API of the workspace has, or several have.
        left_out: paths with such names.
    """

    paths: list[list[ApiId]]
    unknown: set[str]
    left_out: int


def answered_trajectories(workspace: Workspace) -> Iterator[list[ApiId]]:
    """The way of each run with an answer that nothing speaks against, oldest first; runs without
    calls have none, nor have those of strategies that answer no query, such as a health check."""
    return (way for _, way in answered_runs(workspace) if way)


def answered_runs(workspace: Workspace) -> Iterator[tuple[RunId, list[ApiId]]]:
    """The same with the numbers of the runs; the way of one that adds nothing is empty: none of its
    calls served, or they name no API of this workspace, as calls of imported runs may."""
    others = {plugin.id for plugin in strategies.plugins.values() if not plugin.answers}
    for row in sorted(rows_with_status(workspace, *NOT_REFUTED), key=lambda row: row.id):
        if row.strategy in others:
            continue
        way = trajectory_of(load_tree(workspace, row.id))
        known = rowids_of(workspace, way)
        yield row.id, [api for api in way if api in known]


def idle_words(idle: Sequence[RunId]) -> str:
    """That these runs answered and added nothing, and why; "" for none."""
    if not idle:
        return ""
    numbers = ", ".join(map(str, idle[:_NAMED])) + (", ..." if len(idle) > _NAMED else "")
    return (
        f"{counted(len(idle), 'run')} that answered added nothing, since no call served, or none"
        f" names an API of this workspace: {numbers}"
    )


def trajectory_of(tree: RunTree) -> list[ApiId]:
    """The APIs whose calls served, on the way of one run."""
    return [ApiId(str(call.data["api"])) for call in served_calls(tree) if call.data.get("api")]


def gold_paths(workspace: Workspace, file: Path) -> GoldPaths:
    """The paths of a file: JSON, or JSON lines, of objects with a list of names as "solution" or
    "gold" (as RestBench and AutoTools have them).

    Raises:
        BadInput: it cannot be read.
    """
    names = _Names(workspace)
    paths: list[list[ApiId]] = []
    unknown: set[str] = set()
    left_out = 0
    for row in _rows(file):
        found = [(name, names.find(name)) for name in _flat(row.get("solution") or row.get("gold"))]
        lost = {name for name, api in found if api is None}
        unknown |= lost
        left_out += bool(lost)
        if found and not lost:
            paths.append([api for _, api in found if api is not None])
    return GoldPaths(paths, unknown, left_out)


def _rows(file: Path) -> list[dict[str, Any]]:
    import gzip

    try:
        if file.stat().st_size > _LARGEST:
            raise BadInput(f"{file} is larger than 50 MB")
        data = file.read_bytes()
        text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode()
        try:
            found: Any = json.loads(text)
        except ValueError:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, ValueError, EOFError) as error:
        raise BadInput(f"{file} cannot be read: {error}") from None
    if not isinstance(found, list):
        raise BadInput(f"{file} holds no list of paths")
    return [row for row in cast("list[Any]", found) if isinstance(row, dict)]


def _flat(names: Any) -> Iterator[str]:
    """Names in order; AutoTools writes [name, how often it is called]."""
    if isinstance(names, str):
        yield names
    elif isinstance(names, list):
        several = cast("list[Any]", names)
        if len(several) == 2 and isinstance(several[0], str) and isinstance(several[1], int):
            yield from several[:1] * min(max(several[1], 1), _MOST_REPEATS)
            return
        for each in several:
            yield from _flat(each)


class _Names:
    """APIs by what files call them; what two APIs are called is nobody's name."""

    def __init__(self, workspace: Workspace) -> None:
        self._known: dict[str, ApiId | None] = {}
        for api in apis_by_rowid(workspace, all_rowids(workspace)).values():
            path = api.operation.path if api.operation else api.url
            names = (api.id, api.key, api.name, api.title, f"{api.method} {path}")
            for name in {_plain(name) for name in names}:
                is_new = self._known.get(name, api.id) == api.id
                self._known[name] = api.id if is_new else None

    def find(self, name: str) -> ApiId | None:
        return self._known.get(_plain(name))


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
