"""The candidates of a merge as a tree whose members can be left out; for the staging tray."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt

from toolplanner_core.curation.looking.details import ToolkitMember
from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn, ToolkitFigures
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_gui.viewmodels.columns import Index, Role
from toolplanner_gui.viewmodels.curate.staging import Staging
from toolplanner_gui.viewmodels.curate.toolkit_cells import ROWID_ROLE, TOOLKIT_ROLE
from toolplanner_gui.viewmodels.curate.toolkit_model import ToolkitModel


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
