"""Which toolkits lose and gain members by changes: what is said of them may not fit any more."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace.curated_tables import CuratedTables


class Turnover(NamedTuple):
    """Numbers of members by toolkit.

    Attributes:
        lost, gained: those that go elsewhere, and those that come.
        parted: those of `lost` that go to toolkits which begin.
    """

    lost: Counter[ToolkitId]
    gained: Counter[ToolkitId]
    parted: Counter[ToolkitId]


def turnover(changes: Changes, view: CuratedTables) -> Turnover:
    """What the changes do to the members of toolkits.

    Args:
        view: the state before them.
    """
    found = Turnover(Counter(), Counter(), Counter())
    before, begun = view.memberships(changes.members), set(changes.begun)
    for rowid, after in changes.members.items():
        was = before.get(rowid)
        if after is not None and was is not None and after.toolkit == was.toolkit:
            continue
        if was is not None:
            found.lost[was.toolkit] += 1
            found.parted[was.toolkit] += after is not None and after.toolkit in begun
        if after is not None:
            found.gained[after.toolkit] += 1
    return found


def members_after(
    toolkits: Iterable[ToolkitId], changes: Changes, view: CuratedTables
) -> dict[ToolkitId, list[int]]:
    """Row ids of the members that toolkits have then, ascending."""
    came: dict[ToolkitId, list[int]] = {toolkit: [] for toolkit in toolkits}
    for rowid, after in changes.members.items():
        if after is not None and after.toolkit in came:
            came[after.toolkit].append(rowid)
    return {
        toolkit: sorted({*(view.members(toolkit).keys() - changes.members.keys()), *rowids})
        for toolkit, rowids in came.items()
    }


def evenly(rowids: Sequence[int], most: int) -> list[int]:
    """At most so many of them, evenly chosen, ascending."""
    return sorted(rowids)[:: -(-len(rowids) // most) or 1]
