"""How two states of the toolkits differ: renamed, merged, split, moved, new, gone.

Compares two points of the history, or two states in memory. A toolkit keeps its id for life, so
nothing is guessed where ids are the same; where a toolkit ended, its members say what became of it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.history_reading import changes_between
from toolplanner_core.domain.ids import EditId, ToolkitId
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import read_head


class DiffKind(StrEnum):
    """What happened to a toolkit or to APIs."""

    RENAMED = "renamed"
    DESCRIBED = "described"
    MERGED = "merged"
    SPLIT = "split"
    NEW = "new"
    GONE = "gone"
    MOVED = "moved"
    PINNED = "pinned"
    UNPINNED = "unpinned"
    EXCLUDED = "excluded"
    INCLUDED = "included"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One difference.

    Attributes:
        text: for people: "“Rates” was merged into “Currency”".
        toolkits: the toolkits it is about, of both states.
        rowids: the APIs it is about.
    """

    kind: DiffKind
    text: str
    toolkits: tuple[ToolkitId, ...]
    rowids: tuple[int, ...]


def diff_points(workspace: Workspace, one: EditId, other: EditId) -> list[DiffLine]:
    """How the state after `other` differs from the state after `one`.

    Raises:
        NotFound: there is no such point of the history.
    """
    with workspace.snapshot() as db:
        before, after = CuratedState.read(db), CuratedState.read(db)
        head = read_head(db)
        before.apply(changes_between(db, head, one))
        after.apply(changes_between(db, head, other))
    return diff_states(before, after)


def diff_states(before: CuratedState, after: CuratedState) -> list[DiffLine]:
    """All differences, toolkits first, then APIs by where they went."""
    lines = [*_changed_toolkits(before, after), *_ended(before, after), *_begun(before, after)]
    explained = {rowid for line in lines for rowid in line.rowids}
    lines.extend(_moved(before, after, explained))
    lines.extend(_decided(before, after))
    return lines


def _changed_toolkits(before: CuratedState, after: CuratedState) -> Iterable[DiffLine]:
    for toolkit, old in before.toolkits.items():
        new = after.toolkits.get(toolkit)
        if new is None:
            continue
        if old.name != new.name:
            text = f"“{old.name}” is now “{new.name}”"
            yield _line(DiffKind.RENAMED, text, toolkit)
        if old.description != new.description:
            yield _line(DiffKind.DESCRIBED, f"“{new.name}” has another description", toolkit)
        if old.is_pinned != new.is_pinned:
            kind = DiffKind.PINNED if new.is_pinned else DiffKind.UNPINNED
            yield _line(kind, f"“{new.name}” was {kind}", toolkit)


def _ended(before: CuratedState, after: CuratedState) -> Iterable[DiffLine]:
    for toolkit in before.toolkits.keys() - after.toolkits.keys():
        name = before.toolkits[toolkit].name
        members = before.members(toolkit)
        went = _toolkits_of(after, members)
        if not went:
            yield _line(DiffKind.GONE, f"“{name}” is gone", toolkit, rowids=members)
            continue
        into, n = went.most_common(1)[0]
        target = after.toolkits[into].name
        rest = "" if n == len(members) else f", {len(members) - n:,} of its APIs elsewhere"
        text = f"“{name}” was merged into “{target}”{rest}"
        yield _line(DiffKind.MERGED, text, toolkit, into, rowids=_in(after, members, into))


def _begun(before: CuratedState, after: CuratedState) -> Iterable[DiffLine]:
    for toolkit in after.toolkits.keys() - before.toolkits.keys():
        name = after.toolkits[toolkit].name
        members = after.members(toolkit)
        came = _toolkits_of(before, members)
        if not came:
            yield _line(DiffKind.NEW, f"“{name}” is new", toolkit, rowids=members)
            continue
        source, n = came.most_common(1)[0]
        old = before.toolkits[source].name
        if n == len(members) and source in after.toolkits:
            text = f"“{name}” was split off “{old}” with {counted(n, 'API')}"
            yield _line(DiffKind.SPLIT, text, toolkit, source, rowids=members)
        else:
            made = f"{counted(len(members), 'API')} of {counted(len(came), 'toolkit')}"
            text = f"“{name}” is new, made of {made}"
            yield _line(DiffKind.NEW, text, toolkit, *came, rowids=members)


def _moved(before: CuratedState, after: CuratedState, explained: set[int]) -> Iterable[DiffLine]:
    groups: dict[tuple[ToolkitId | None, ToolkitId | None], list[int]] = {}
    for rowid in sorted(before.toolkit_of.keys() | after.toolkit_of.keys()):
        old, new = before.toolkit_of.get(rowid), after.toolkit_of.get(rowid)
        one = None if old is None else old.toolkit
        other = None if new is None else new.toolkit
        if one != other and rowid not in explained:
            groups.setdefault((one, other), []).append(rowid)
    for (one, other), rowids in groups.items():
        apis = counted(len(rowids), "API")
        text = f"{apis} moved from {_name(before, one)} to {_name(after, other)}"
        involved = [toolkit for toolkit in (one, other) if toolkit is not None]
        yield _line(DiffKind.MOVED, text, *involved, rowids=rowids)


def _decided(before: CuratedState, after: CuratedState) -> Iterable[DiffLine]:
    for old, new, kinds in (
        (_pinned(before), _pinned(after), (DiffKind.PINNED, DiffKind.UNPINNED)),
        (set(before.excluded), set(after.excluded), (DiffKind.EXCLUDED, DiffKind.INCLUDED)),
    ):
        for kind, rowids in zip(kinds, (new - old, old - new), strict=True):
            if rowids:
                were = counted(len(rowids), "API was", "APIs were")
                yield _line(kind, f"{were} {kind}", rowids=sorted(rowids))


def _pinned(state: CuratedState) -> set[int]:
    return {rowid for rowid, membership in state.toolkit_of.items() if membership.is_pinned}


def _toolkits_of(state: CuratedState, members: Mapping[int, bool]) -> Counter[ToolkitId]:
    return Counter(m.toolkit for m in state.memberships(members).values())


def _in(state: CuratedState, members: Mapping[int, bool], toolkit: ToolkitId) -> list[int]:
    where = state.memberships(members)
    return [rowid for rowid, membership in where.items() if membership.toolkit == toolkit]


def _name(state: CuratedState, toolkit: ToolkitId | None) -> str:
    return "no toolkit" if toolkit is None else f"“{state.toolkits[toolkit].name}”"


def _line(kind: DiffKind, text: str, *toolkits: ToolkitId, rowids: Iterable[int] = ()) -> DiffLine:
    return DiffLine(kind=kind, text=text, toolkits=toolkits, rowids=tuple(rowids))
