"""What is selected, shared by map, list, details and run tree; never part of any history."""

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QObject, Signal

from toolplanner_core.domain.ids import ToolkitId


class Selection(QObject):
    """Either a toolkit, or some APIs by row id, or nothing.

    A panel passes itself as `origin` and ignores the changes it made.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._toolkit: ToolkitId | None = None
        self._apis = np.empty(0, np.int64)

    @property
    def toolkit(self) -> ToolkitId | None:
        """The selected toolkit, None when APIs or nothing is selected."""
        return self._toolkit

    @property
    def apis(self) -> np.ndarray:
        """Row ids of the selected APIs, (m,) int64; empty when a toolkit is selected."""
        return self._apis

    @property
    def is_empty(self) -> bool:
        """Whether nothing is selected."""
        return self._toolkit is None and len(self._apis) == 0

    def select_toolkit(self, toolkit: ToolkitId, origin: object = None) -> None:
        """Select a toolkit."""
        if self._toolkit == toolkit:
            return
        self._toolkit = toolkit
        self._apis = np.empty(0, np.int64)
        self.changed.emit(origin)

    def select_apis(self, rowids: Iterable[int] | np.ndarray, origin: object = None) -> None:
        """Select APIs by row id."""
        apis = np.asarray(
            rowids if isinstance(rowids, np.ndarray) else list(rowids), np.int64
        ).ravel()
        if self._toolkit is None and np.array_equal(apis, self._apis):
            return
        self._toolkit = None
        self._apis = apis
        self.changed.emit(origin)

    def clear(self, origin: object = None) -> None:
        """Select nothing."""
        if self.is_empty:
            return
        self._toolkit = None
        self._apis = np.empty(0, np.int64)
        self.changed.emit(origin)
