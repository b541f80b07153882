"""A short list of rows, each with a key: what is selected can be taken away."""

from typing import Any

from PySide6.QtWidgets import QAbstractItemView

from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.views import QuietTree


class RemovableList(QuietTree):
    """Rows of names."""

    def __init__(
        self, name: str, titles: tuple[str, ...], widths: dict[int, int] | None = None
    ) -> None:
        super().__init__(name, is_flat=True)
        self._model = TableModel(titles, self)
        self.set_model(self._model, widths or dict.fromkeys(range(1, len(titles)), 130))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)

    def fill(self, rows: list[tuple[tuple[str, ...], object]]) -> None:
        """Show these, each with its key."""
        self._model.set_rows(
            [Row(cells=cells, key=key, tooltip="\n".join(cells)) for cells, key in rows]
        )

    @property
    def selected(self) -> list[Any]:
        """Keys of the selected rows."""
        return [index.data(KEY_ROLE) for index in self.selectionModel().selectedRows(0)]
