"""The selection as an edit needs it.

A selection is one toolkit, several toolkits chosen in the list, or APIs. Menu entries ask what an
edit would be about before and after every change, so it is made once per selection and kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.words.formatting import counted

_FEW = 3
"""Toolkits that a person who selects APIs of them has all seen."""

Made = Mapping[str, Any]
"""How a selection came about, as JSON: `{"by": "lasso", "points": [[x, y], ...]}`, `"rectangle"`,
`"click"`, `"search"` and `"regex"` (with "text"), `"neighbours"`, `"similar"`, `"toolkit"`,
`"list"`, `"saved"` (with "name"); `{"by": "steps", "steps": [...]}` when several were combined."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chosen:
    """The selection as an edit needs it.

    Attributes:
        toolkits: the toolkits that were chosen as such; empty when APIs were.
        rowids: (m,) int64, all chosen APIs, members of chosen toolkits included.
        shares: every toolkit with chosen APIs and how many those are, most first.
        n_homeless: chosen APIs that belong to no toolkit.
        n_pinned: chosen APIs that are pinned.
        n_excluded: chosen APIs that are excluded.
        made: how the set was found; edits store it.
    """

    toolkits: tuple[Toolkit, ...]
    rowids: np.ndarray
    shares: tuple[tuple[Toolkit, int], ...]
    n_homeless: int
    n_pinned: int
    n_excluded: int
    made: Made

    @property
    def is_empty(self) -> bool:
        """Whether nothing is chosen."""
        return not self.toolkits and not len(self.rowids)

    @property
    def ids(self) -> tuple[int, ...]:
        """The chosen APIs as an edit takes them."""
        return tuple(self.rowids.tolist())

    @property
    def one_toolkit(self) -> Toolkit | None:
        """The toolkit that was chosen, or that all chosen APIs belong to."""
        if len(self.toolkits) == 1:
            return self.toolkits[0]
        if not self.toolkits and len(self.shares) == 1 and not self.n_homeless:
            return self.shares[0][0]
        return None

    @property
    def reach(self) -> int:
        """How many APIs the toolkits with chosen APIs have: what a merge of them would take."""
        return sum(toolkit.size for toolkit, _ in self.shares)

    def would_end(self, *, without: ToolkitId) -> list[Toolkit]:
        """The toolkits that have no API left once the chosen ones are in another, `without`."""
        return [
            kit for kit, n in self.shares if n == kit.size and not kit.pinned and kit.id != without
        ]

    @property
    def is_scattered(self) -> bool:
        """Whether APIs were chosen, over many toolkits of which they are the lesser part: merging
        those takes far more than was chosen."""
        in_toolkits = sum(n for _, n in self.shares)
        return not self.toolkits and len(self.shares) > _FEW and self.reach > 2 * in_toolkits

    @property
    def words(self) -> str:
        """What is chosen: “Weather”, "3 toolkits", "12 APIs of 2 toolkits"."""
        if len(self.toolkits) == 1:
            return f"“{self.toolkits[0].name}”"
        if self.toolkits:
            return counted(len(self.toolkits), "toolkit")
        apis = counted(len(self.rowids), "API")
        if len(self.shares) == 1:
            return f"{apis} of “{self.shares[0][0].name}”"
        return f"{apis} of {counted(len(self.shares), 'toolkit')}" if self.shares else apis


def choose(
    catalogue: CuratedCatalogue,
    mask: np.ndarray,
    rowids: np.ndarray,
    *,
    toolkit: ToolkitId | None,
    made: Made,
) -> Chosen:
    """A selection as an edit needs it.

    Args:
        mask: (n,) bool, the selected points.
        rowids: (m,) int64, all selected APIs; those without a point stand last.
        toolkit: the toolkit that is selected as such.
        made: how the selection came about.
    """
    wanted = [] if toolkit is None else [toolkit]
    if toolkit is None and made.get("by") == "toolkits":
        wanted = [ToolkitId(int(number)) for number in made["toolkits"]]
    placed = int(np.count_nonzero(mask))
    labels = catalogue.labels[mask]
    counts = np.bincount(labels[labels >= 0], minlength=len(catalogue.toolkits))
    place_of = {t.id: i for i, t in enumerate(catalogue.toolkits)}
    pinned = int(np.count_nonzero(catalogue.pinned[mask]))
    for rowid in rowids[placed:].tolist():
        membership = catalogue.others.get(rowid)
        if membership is not None and membership.toolkit in place_of:
            counts[place_of[membership.toolkit]] += 1
            pinned += membership.is_pinned
    used = np.flatnonzero(counts)
    order = used[np.argsort(-counts[used], kind="stable")]
    return Chosen(
        toolkits=tuple(t for t in map(catalogue.toolkit, wanted) if t is not None),
        rowids=rowids,
        shares=tuple((catalogue.toolkits[i], int(counts[i])) for i in order.tolist()),
        n_homeless=len(rowids) - int(counts.sum()),
        n_pinned=pinned,
        n_excluded=int(np.count_nonzero(catalogue.excluded[mask])),
        made=made,
    )
