"""What a person has settled, as constraints of a clustering.

Hard: pinned APIs, pinned toolkits, links; and toolkits whose members a person chose by an edit that
still counts (merge, split, move, new toolkit), so that no machine undoes curation.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.constraints import Constraints
from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.history_reading import line_to_head
from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.workspace import Database
from toolplanner_core.workspace.edit_history import read_edit, read_forward


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Settled:
    """Constraints over some APIs.

    Attributes:
        constraints: over the APIs in the order given.
        toolkits: the toolkit of each given group: label 0, 1 ...
    """

    constraints: Constraints
    toolkits: list[ToolkitId]


def settled_toolkits(db: Database, state: CuratedState) -> set[ToolkitId]:
    """Toolkits whose members no machine may change: pinned ones, and those that a person put
    together."""
    found = {toolkit for toolkit, fields in state.toolkits.items() if fields.is_pinned}
    for edit in line_to_head(db):
        if read_edit(db, edit).actor is not Author.PERSON:
            continue
        changes = read_forward(db, edit)
        found |= {m.toolkit for m in changes.members.values() if m is not None}
    return found & state.toolkits.keys()


def settle(db: Database, state: CuratedState, rowids: NDArray[np.int32]) -> Settled:
    """The constraints over these APIs.

    Args:
        rowids: (n,) row ids, each once.
    """
    whole = settled_toolkits(db, state)
    labels: dict[ToolkitId, int] = {}
    fixed = np.full(len(rowids), -1, dtype=np.int32)
    position = {rowid: i for i, rowid in enumerate(rowids.tolist())}
    for rowid, i in position.items():
        membership = state.toolkit_of.get(rowid)
        if membership is not None and (membership.is_pinned or membership.toolkit in whole):
            fixed[i] = labels.setdefault(membership.toolkit, len(labels))
    pairs: dict[LinkKind, list[tuple[int, int]]] = {LinkKind.MUST: [], LinkKind.CANNOT: []}
    for (a, b), kind in state.linked.items():
        if a in position and b in position:
            pairs[kind].append((position[a], position[b]))
    return Settled(
        constraints=Constraints(
            fixed=fixed,
            must_link=np.array(pairs[LinkKind.MUST], dtype=np.int32).reshape(-1, 2),
            cannot_link=np.array(pairs[LinkKind.CANNOT], dtype=np.int32).reshape(-1, 2),
        ),
        toolkits=list(labels),
    )
