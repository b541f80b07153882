"""The staging tray: toolkits that are about to be merged, before anything is changed.

Filled by the merge command from list or map, emptied by its confirmation. Nothing of it is stored:
it is a question, not an edit. Shown by the staging panel.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.edits.merge import Merge
from toolplanner_core.curation.looking.curated_catalogue import EMPTY, CuratedCatalogue
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """What is in the tray.

    Attributes:
        toolkits: candidates in the order they came.
        into: the one that keeps its id and name; None when the tray is empty.
        left_out: row ids of members that stay where they are.
        name: another name for the result; "" keeps that of `into`.
    """

    toolkits: tuple[ToolkitId, ...] = ()
    into: ToolkitId | None = None
    left_out: frozenset[int] = frozenset()
    name: str = ""


class Staging(QObject):
    """Candidates of a merge. GUI thread.

    Signals:
        changed: other candidates, members, target or name.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._catalogue = EMPTY
        self._staged = Staged()
        self._made: Mapping[str, Any] = {}

    @property
    def staged(self) -> Staged:
        """What is in the tray."""
        return self._staged

    @property
    def toolkits(self) -> list[Toolkit]:
        """The candidates."""
        found = (self._catalogue.toolkit(toolkit) for toolkit in self._staged.toolkits)
        return [toolkit for toolkit in found if toolkit is not None]

    @property
    def origin(self) -> Mapping[str, Any]:
        """How the candidates were found; stored with the merge."""
        return self._made

    def set_catalogue(self, catalogue: CuratedCatalogue) -> None:
        """Go over to other toolkits; candidates that ended leave the tray."""
        self._catalogue = catalogue
        old = self._staged
        living = tuple(t for t in old.toolkits if catalogue.toolkit(t) is not None)
        if living != old.toolkits:
            self._put(living, old.into, old.left_out, old.name)
        else:
            self.changed.emit()

    def add(self, toolkits: Iterable[ToolkitId], *, made: Mapping[str, Any] | None = None) -> None:
        """Put toolkits into the tray."""
        old = self._staged
        all_of_them = tuple(dict.fromkeys((*old.toolkits, *toolkits)))
        if made:
            self._made = made
        if all_of_them != old.toolkits:
            self._put(all_of_them, old.into, old.left_out, old.name)

    def remove(self, toolkit: ToolkitId) -> None:
        """Take a toolkit out of the tray."""
        old = self._staged
        rest = tuple(t for t in old.toolkits if t != toolkit)
        self._put(rest, old.into, old.left_out, old.name)

    def merge_into(self, toolkit: ToolkitId) -> None:
        """Choose the toolkit that keeps its id and name."""
        old = self._staged
        if toolkit in old.toolkits and toolkit != old.into:
            self._put(old.toolkits, toolkit, old.left_out, "")

    def leave_out(self, rowid: int, *, is_left_out: bool) -> None:
        """Let a member stay where it is, or take it along after all."""
        old = self._staged
        left = old.left_out | {rowid} if is_left_out else old.left_out - {rowid}
        self._put(old.toolkits, old.into, left, old.name)

    def rename(self, name: str) -> None:
        """Choose a name for the result."""
        old = self._staged
        self._put(old.toolkits, old.into, old.left_out, " ".join(name.split()))

    def clear(self) -> None:
        """Empty the tray."""
        self._made = {}
        self._put((), None, frozenset(), "")

    def edit(self) -> Merge | None:
        """The merge as it stands; None with fewer than two toolkits."""
        staged = self._staged
        if staged.into is None or len(staged.toolkits) < 2:
            return None
        into = self._catalogue.toolkit(staged.into)
        is_new_name = into is not None and staged.name not in ("", into.name)
        return Merge(
            toolkits=staged.toolkits,
            into=staged.into,
            left_out=tuple(sorted(staged.left_out)),
            name=staged.name if is_new_name else "",
        )

    def _put(
        self,
        toolkits: tuple[ToolkitId, ...],
        into: ToolkitId | None,
        left_out: frozenset[int],
        name: str,
    ) -> None:
        if into not in toolkits:
            into = self._best_target(toolkits)
            name = ""
        new = Staged(toolkits=toolkits, into=into, left_out=left_out, name=name)
        if new != self._staged:
            self._staged = new
            self.changed.emit()

    def _best_target(self, toolkits: tuple[ToolkitId, ...]) -> ToolkitId | None:
        """A pinned toolkit or one that a person named, else the largest."""
        known = [t for t in map(self._catalogue.toolkit, toolkits) if t is not None]
        if not known:
            return None
        return max(known, key=lambda t: (t.pinned, t.name_author == "person", t.size, -t.id)).id
