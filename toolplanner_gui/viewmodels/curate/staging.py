"""The staging tray: toolkits that are about to be merged, before anything is changed.

Filled by the merge command from list or map, emptied by its confirmation. It is a question, not an
edit: nothing of it is in the file. It is kept with how its person looks at the workspace, so that
it is there when that is opened again. Shown by the staging panel.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from PySide6.QtCore import QObject, Qt, Signal

from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.edits.staged_merge import StagedMerge
from toolplanner_core.curation.looking.curated_catalogue import EMPTY, CuratedCatalogue
from toolplanner_core.curation.looking.details import ToolkitMember
from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn, ToolkitFigures
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_gui.bridge.view_state import ViewState
from toolplanner_gui.viewmodels.curate.toolkit_model import ROWID_ROLE, TOOLKIT_ROLE, ToolkitModel
from toolplanner_gui.viewmodels.item_models import Index, Role

_NAME = "staged merge"
_N_KEPT = 5


class Staging(QObject):
    """Candidates of a merge. GUI thread.

    Args:
        view: where it is kept.

    Signals:
        changed: other candidates, members, target or name.
        came_back: what was put together when the workspace was last open is there again.
    """

    changed = Signal()
    came_back = Signal()

    def __init__(self, view: ViewState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._is_back = False
        self._catalogue = EMPTY
        self.staged = StagedMerge()
        """What is in the tray."""
        self.origin: Mapping[str, Any] = {}
        """How the candidates were found; stored with the merge."""

    @property
    def toolkits(self) -> list[Toolkit]:
        """The candidates."""
        found = (self._catalogue.toolkit(toolkit) for toolkit in self.staged.toolkits)
        return [toolkit for toolkit in found if toolkit is not None]

    def set_catalogue(self, catalogue: CuratedCatalogue) -> None:
        """Go over to other toolkits; candidates that ended leave the tray."""
        self._catalogue = catalogue
        if not self._is_back:
            self._is_back = True
            self._take_back()
        old = self.staged.toolkits
        living = tuple(t for t in old if catalogue.toolkit(t) is not None)
        if living != old:
            self._change(toolkits=living)
        else:
            self._keep()
            self.changed.emit()

    def add(self, toolkits: Iterable[ToolkitId], *, made: Mapping[str, Any] | None = None) -> None:
        """Put toolkits into the tray."""
        self.origin = made or self.origin
        self._change(toolkits=tuple(dict.fromkeys((*self.staged.toolkits, *toolkits))))

    def remove(self, toolkit: ToolkitId) -> None:
        """Take a toolkit out of the tray."""
        self._change(toolkits=tuple(t for t in self.staged.toolkits if t != toolkit))

    def merge_into(self, toolkit: ToolkitId) -> None:
        """Choose the toolkit that keeps its id and name."""
        if toolkit in self.staged.toolkits and toolkit != self.staged.into:
            self._change(into=toolkit, name="")

    def leave_out(self, rowid: int, *, is_left_out: bool) -> None:
        """Let a member stay where it is, or take it along after all."""
        old = self.staged.left_out
        self._change(left_out=old | {rowid} if is_left_out else old - {rowid})

    def rename(self, name: str) -> None:
        """Choose a name for the result."""
        self._change(name=" ".join(name.split()))

    def clear(self) -> None:
        """Empty the tray."""
        self.origin = {}
        self._change(toolkits=(), left_out=frozenset())

    def put_back(self, staged: StagedMerge, origin: Mapping[str, Any]) -> None:
        """What was in the tray, after a merge that was refused."""
        self.origin = origin
        self.staged = staged
        self._keep()
        self.changed.emit()

    @property
    def ends_named(self) -> list[Toolkit]:
        """The toolkits that a person named or pinned and that the merge would end."""
        return self.staged.ends_named(self._catalogue.toolkits)

    def edit(self) -> Merge | None:
        """The merge as it stands; None with fewer than two toolkits."""
        return self.staged.edit(self._catalogue.toolkits)

    def _change(self, **values: Any) -> None:
        new = self.staged.changed(self._catalogue.toolkits, **values)
        if new != self.staged:
            self.staged = new
            self._keep()
            self.changed.emit()

    def _keep(self) -> None:
        staged = self.staged
        kept = [
            [[toolkit.id, toolkit.name] for toolkit in self.toolkits],
            staged.into,
            sorted(staged.left_out),
            staged.name,
            dict(self.origin),
        ]
        self._view.put(_NAME, kept if staged.toolkits else [])

    def _take_back(self) -> None:
        """What was kept, as far as it fits: another file may stand at the path by now."""
        kept = self._view.values(_NAME)
        if len(kept) != _N_KEPT:
            return
        toolkits, into, left_out, name, origin = kept
        living = [[toolkit.id, toolkit.name] for toolkit in self._catalogue.toolkits]
        wanted = cast(list[Any], toolkits) if isinstance(toolkits, list) else []
        candidates = [ToolkitId(one[0]) for one in wanted if one in living]
        if not candidates:
            return
        found = StagedMerge(
            toolkits=tuple(candidates),
            into=ToolkitId(into) if into in candidates else None,
            left_out=frozenset(_numbers(left_out)),
            name=name if isinstance(name, str) else "",
        )
        self.origin = cast(dict[str, Any], origin) if isinstance(origin, dict) else {}
        by_itself = replace(found, into=None).changed(self._catalogue.toolkits)
        is_chosen = found.into not in (None, by_itself.into)
        self.staged = replace(found, into=found.into or by_itself.into, is_chosen=is_chosen)
        self.changed.emit()
        self.came_back.emit()


def _numbers(value: object) -> list[int]:
    there = cast(list[object], value) if isinstance(value, list) else []
    return [one for one in there if type(one) is int]


class StagedModel(ToolkitModel):
    """A ticked member comes along, one that is not stays where it is.

    Args:
        staging: what is shown, and what ticks change.
        read_members: as for `ToolkitModel`.
    """

    def __init__(
        self,
        staging: Staging,
        read_members: Callable[[ToolkitId, int, int], Sequence[ToolkitMember]],
        parent: QObject | None = None,
        *,
        figures: ToolkitFigures | None = None,
    ) -> None:
        super().__init__(read_members, parent, figures=figures)
        self._staging = staging

    def flags(self, index: Index) -> Qt.ItemFlag:
        found = super().flags(index)
        return found | Qt.ItemFlag.ItemIsUserCheckable if self._is_tickable(index) else found

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if role == Role.CheckStateRole and self._is_tickable(index):
            left_out = self._staging.staged.left_out
            is_out = super().data(index, ROWID_ROLE) in left_out
            return Qt.CheckState.Unchecked if is_out else Qt.CheckState.Checked
        return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if role != Role.CheckStateRole or not self._is_tickable(index):
            return False
        is_left_out = Qt.CheckState(value) is Qt.CheckState.Unchecked
        self._staging.leave_out(super().data(index, ROWID_ROLE), is_left_out=is_left_out)
        self.dataChanged.emit(index, index, [role])
        return True

    def _is_tickable(self, index: Index) -> bool:
        """Members of the candidates that move; those of the target stay anyway."""
        rowid = super().data(index, ROWID_ROLE)
        owner = super().data(index, TOOLKIT_ROLE)
        is_name = index.column() == ToolkitColumn.NAME
        return is_name and rowid is not None and owner != self._staging.staged.into
