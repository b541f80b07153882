"""What a new crawl brought into a prepared workspace: a page at most, the doubtful by name.

Made after new APIs were placed (`placing.py`); shown by the command line and the window. Whoever
reads it looks at what is doubtful: the rest is as sure as the catalogue's own toolkits.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.words.formatting import counted, one_line, score
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import ApiText, load_documentation
from toolplanner_core.workspace.import_changes import missing_rowids
from toolplanner_core.workspace.point_sets import last_placed, load_placements
from toolplanner_core.workspace.toolkits import labels_by_rowid, list_toolkits

SURE = 0.7
"""Below this confidence a place is doubtful, and said by name."""
_NAMED = 8
_SURE_NAMED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NewApi:
    """A new API and where it is.

    Attributes:
        title: tool and name.
        toolkit: where it is; None if it waits in the review queue.
        likely: the name of the toolkit that it fits best; "" if there is none.
        confidence: 0 to 1: share of such answers that are right.
    """

    rowid: int
    title: str
    toolkit: ToolkitId | None
    likely: str
    confidence: float

    @property
    def words(self) -> str:
        """For people: "Ratezy / latest: perhaps “Currency rates” (0.41 likely)"."""
        if not self.likely:
            return f"{self.title}: unlike all toolkits"
        verb = "perhaps" if self.toolkit is None else "put into"
        return f"{self.title}: {verb} “{self.likely}” ({score(self.confidence)} likely)"


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIsNew:
    """New APIs and what became of them.

    Attributes:
        rowids: all new APIs.
        gained: how many each toolkit gained, most first.
        doubtful: the least sure first.
        sure: the others, by name; the first thousand of them.
        missing: by name, what the last import of a source did not bring any more; the first
            thousand of them.
        n_missing: how many those are.
    """

    rowids: tuple[int, ...]
    gained: tuple[tuple[str, int], ...]
    doubtful: tuple[NewApi, ...]
    sure: tuple[NewApi, ...] = ()
    missing: tuple[str, ...] = ()
    n_missing: int = 0

    @property
    def lines(self) -> list[str]:
        """For people, without the doubtful ones' names."""
        return [*self._new_lines, *self._missing_lines]

    @property
    def _missing_lines(self) -> list[str]:
        if not self.n_missing:
            return []
        some = ", ".join(self.missing[:_NAMED])
        more = f" and {self.n_missing - _NAMED:,} more" if self.n_missing > _NAMED else ""
        did = counted(self.n_missing, "API did", "APIs did")
        they = "it stays" if self.n_missing == 1 else "they stay"
        return [f"{did} not come again: {some}{more}; {they}, marked as not seen in the last crawl"]

    @property
    def _new_lines(self) -> list[str]:
        if not self.rowids:
            return ["Nothing is new"]
        placed = sum(n for _, n in self.gained)
        waiting = sum(api.toolkit is None for api in self.doubtful)
        lines = [f"{counted(len(self.rowids), 'new API')}; nothing else moved"]
        if placed:
            some = ", ".join(f"“{one_line(name, 40)}” +{n}" for name, n in self.gained[:_NAMED])
            more = f" and {len(self.gained) - _NAMED:,} more" if len(self.gained) > _NAMED else ""
            lines.append(f"{placed:,} in {counted(len(self.gained), 'toolkit')}: {some}{more}")
        if waiting:
            lines.append(f"{waiting:,} fit no toolkit well enough and wait in the review queue")
        if unsure := len(self.doubtful) - waiting:
            is_one = unsure == 1
            put = "was put into a toolkit, but is" if is_one else "were put into toolkits, but are"
            lines.append(f"{unsure:,} {put} worth a look")
        return lines


def last_new(workspace: Workspace) -> WhatIsNew:
    """What became of the APIs that came in last; blocks for a moment."""
    return what_is_new(workspace, last_placed(workspace))


def what_is_new(workspace: Workspace, rowids: Sequence[int]) -> WhatIsNew:
    """What became of new APIs; blocks for a moment."""
    toolkits = {toolkit.id: toolkit.name for toolkit in list_toolkits(workspace)}
    where, placements = labels_by_rowid(workspace), load_placements(workspace)
    gained = Counter(toolkits[where[rowid]] for rowid in rowids if rowid in where)

    def place(those: Sequence[int]) -> Iterator[NewApi]:
        for rowid, text in zip(those, load_documentation(workspace, those), strict=True):
            placement = placements.get(rowid)
            likely = None if placement is None else placement.toolkit
            yield NewApi(
                rowid=rowid,
                title=_title(text),
                toolkit=where.get(rowid),
                likely="" if likely is None else toolkits.get(likely, ""),
                confidence=0.0 if placement is None else placement.confidence,
            )

    def is_doubtful(rowid: int) -> bool:
        placement = placements.get(rowid)
        return rowid not in where or (placement is not None and placement.confidence < SURE)

    missing = missing_rowids(workspace, is_new=True)
    named = load_documentation(workspace, missing[:_SURE_NAMED])
    doubtful = [rowid for rowid in rowids if is_doubtful(rowid)]
    sure = [rowid for rowid in rowids if not is_doubtful(rowid)][:_SURE_NAMED]
    return WhatIsNew(
        rowids=tuple(rowids),
        gained=tuple(gained.most_common()),
        doubtful=tuple(sorted(place(doubtful), key=lambda api: api.confidence)),
        sure=tuple(sorted(place(sure), key=lambda api: api.title.casefold())),
        missing=tuple(sorted(map(_title, named), key=str.casefold)),
        n_missing=len(missing),
    )


def _title(text: ApiText) -> str:
    return f"{one_line(text.tool, 40)} · {one_line(text.name, 60)}"
