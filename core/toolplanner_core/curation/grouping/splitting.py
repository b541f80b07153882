"""Propose how to split a toolkit: into k parts, into as many as suit it, or by a text.

A proposal holds the edit that `curation/edits/history.py` makes when the person agrees, and what
each part would be. Nothing is changed here. Blocks; not for the GUI thread.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import mean_cosines
from toolplanner_core.clustering.splitting import Method, split_by_likeness, split_group
from toolplanner_core.curation.edits.describe import proper_name
from toolplanner_core.curation.edits.remembered_names import names_by_rule
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.curation.grouping.points import with_vectors
from toolplanner_core.curation.grouping.toolkit_sums import sum_of_apis
from toolplanner_core.curation.naming.toolkit_names import ToolkitText
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.embedding.query_encoder import QueryEncoder
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import all_names
from toolplanner_core.workspace.toolkits import get_toolkit, member_rowids


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the toolkit as it would be.

    Attributes:
        name: of the new toolkit; of the part that stays the toolkit's own.
        rowids: its APIs, most central to the old toolkit first.
    """

    name: str
    description: str
    rowids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedSplit:
    """How a toolkit would be split.

    Attributes:
        toolkit: the one that would be split.
        origin: how the parts were found, for `history.do`.
        parts: what stays first, then the new toolkits in the order of `edit.parts`.
        threshold: least cosine to the text of what it is like; None for other splits.
        is_named: whether a person has named a part.
    """

    toolkit: ToolkitId
    origin: Mapping[str, Any]
    parts: tuple[Part, ...]
    threshold: float | None = None
    is_named: bool = False

    @property
    def edit(self) -> Split:
        """For `history.do`."""
        new = self.parts[1:]
        return Split(
            toolkit=self.toolkit,
            parts=tuple(part.rowids for part in new),
            names=tuple(part.name for part in new),
            descriptions=tuple(part.description for part in new),
            name_author=(Author.PERSON if self.is_named else Author.RULE).value,
        )

    def moved(self, rowids: Sequence[int], to: int) -> "ProposedSplit":
        """With APIs in another part, 0 = they stay in the toolkit; a new part that is empty then
        is none any more."""
        chosen = set(rowids)
        parts: list[Part] = []
        for position, part in enumerate(self.parts):
            kept = tuple(rowid for rowid in part.rowids if rowid not in chosen)
            new = (*part.rowids, *(r for r in rowids if r not in part.rowids))
            made = replace(part, rowids=new if position == to else kept)
            if made.rowids or not position:
                parts.append(made)
        return replace(self, parts=tuple(parts))

    def renamed(self, position: int, name: str) -> "ProposedSplit":
        """With another name for a new part."""
        parts = list(self.parts)
        parts[position] = replace(parts[position], name=proper_name(name, of="toolkit"))
        return replace(self, parts=tuple(parts), is_named=True)


def fit_of(workspace: Workspace, rowids: Sequence[int]) -> float | None:
    """How well APIs fit together, as the fit of a toolkit, 0 to 1; None where none has a vector."""
    total, count = sum_of_apis(workspace, rowids)
    return float(mean_cosines(total[np.newaxis], np.array([count]))[0]) if count else None


def propose_split(
    workspace: Workspace,
    toolkit: ToolkitId,
    *,
    k: int | Literal["auto"] = "auto",
    method: Method = "kmeans",
    seed: int = 0,
) -> ProposedSplit:
    """Parts by their meaning; the largest keeps the toolkit's id.

    APIs without a vector stay. About a second.

    Args:
        k: number of parts, or "auto".
        method: "kmeans" for parts of similar size, "agglomerative" for what lies apart.

    Raises:
        NotFound: there is no such toolkit, or nothing is embedded.
        BadInput: it cannot be split that way.
    """
    rowids, vectors = _members(workspace, toolkit)
    if k != "auto" and k < 2:
        raise BadInput(f"Cannot split into {k} parts", todo="Choose a number from 2 up")
    labels = split_group(vectors, k=k, method=method, seed=seed)
    groups = [
        [rowids[i] for i in np.flatnonzero(labels == part)] for part in range(int(labels.max()) + 1)
    ]
    if len(groups) < 2:
        raise BadInput(
            "The APIs of this toolkit cannot be told apart",
            why="Their texts mean the same",
            todo="Split it by choosing APIs",
        )
    return _proposal(
        workspace,
        toolkit,
        groups[1:],
        origin={"by": "split", "method": method, "k": k, "seed": seed},
    )


def propose_split_by_text(
    workspace: Workspace,
    toolkit: ToolkitId,
    text: str,
    *,
    threshold: float | None = None,
) -> ProposedSplit:
    """What is like a text becomes a toolkit of its own; the rest keeps its id.

    Args:
        threshold: least cosine to the text, -1 to 1; None puts it where the cosines part best.

    Raises:
        NotFound: there is no such toolkit, or nothing is embedded.
        EmbedderUnavailable: the embedder's weights are missing on this machine.
        BadInput: no member or every member is like the text.
    """
    if not text.strip():
        raise BadInput("The text is empty", todo="Write what the new toolkit shall do")
    rowids, vectors = _members(workspace, toolkit)
    with closing(QueryEncoder(workspace)) as encoder:
        query = encoder.encode([text])[0]
    labels, found = split_by_likeness(vectors, query, threshold=threshold)
    like = [rowids[i] for i in np.flatnonzero(labels == 0)]
    if len(like) in (0, len(member_rowids(workspace, toolkit))):
        raise BadInput(
            f"{'No' if not like else 'Every'} API of the toolkit is like “{text.strip()}”",
            todo="Use other words, or choose another threshold",
        )
    return _proposal(
        workspace,
        toolkit,
        [like],
        origin={"by": "text", "text": text.strip(), "threshold": round(found, 4)},
        threshold=found,
    )


def propose_split_of(
    workspace: Workspace,
    toolkit: ToolkitId,
    rowids: Sequence[int],
    *,
    text: ToolkitText | None = None,
) -> ProposedSplit:
    """Chosen APIs become a toolkit of their own.

    Args:
        text: what it is called; None asks the rule now.

    Raises:
        NotFound: there is no such toolkit.
    """
    chosen = set(rowids)
    ordered = [rowid for rowid in member_rowids(workspace, toolkit) if rowid in chosen]
    # What is no member is kept in the edit, which says so when it is made.
    ordered += [rowid for rowid in rowids if rowid not in set(ordered)]
    return _proposal(workspace, toolkit, [ordered], origin={"by": "choice"}, text=text)


def _members(workspace: Workspace, toolkit: ToolkitId) -> tuple[list[int], NDArray[np.float32]]:
    """The members that have a vector, most central first, and their vectors."""
    get_toolkit(workspace, toolkit)
    found = with_vectors(workspace, member_rowids(workspace, toolkit))
    return found.rowids, found.vectors


def _proposal(
    workspace: Workspace,
    toolkit: ToolkitId,
    groups: Sequence[Sequence[int]],
    *,
    origin: Mapping[str, Any],
    threshold: float | None = None,
    text: ToolkitText | None = None,
) -> ProposedSplit:
    whole, members = get_toolkit(workspace, toolkit), member_rowids(workspace, toolkit)
    gone = {rowid for group in groups for rowid in group}
    stays = [rowid for rowid in members if rowid not in gone]
    texts = [text] if text is not None else _texts(workspace, stays, groups)
    parts = (
        Part(name=whole.name, description=whole.description, rowids=tuple(stays)),
        *(
            Part(name=text.name, description=text.description, rowids=tuple(rowids))
            for text, rowids in zip(texts, groups, strict=True)
        ),
    )
    return ProposedSplit(toolkit=toolkit, origin=origin, parts=parts, threshold=threshold)


def _texts(
    workspace: Workspace, stays: Sequence[int], groups: Sequence[Sequence[int]]
) -> list[ToolkitText]:
    with workspace.snapshot() as db:
        # The rest, too, though its name stays: what is told from it is called otherwise.
        asked = [stays, *groups] if stays else groups
        return names_by_rule(db, asked, taken=all_names(db).values())[-len(groups) :]
