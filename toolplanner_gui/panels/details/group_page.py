"""Details of several selected APIs: how many, from which toolkits."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QWidget

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.words.wording import count, counted, one_line
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.swatches import swatch
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.boxes import column_of
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree

_NUMBER_WIDTH = 84


class GroupPage(QWidget):
    """Emits `toolkit_chosen` with a toolkit's id when its row is activated."""

    toolkit_chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._title = text_label(role="heading")
        self._text = text_label(role="dim", is_wrapped=True)
        self._model = TableModel(("Toolkits", "Selected"), self, numbers=(1,))
        self._view = QuietTree("Toolkits of the selected APIs", is_flat=True)
        self._view.set_model(self._model, {1: _NUMBER_WIDTH})
        self._view.activated.connect(self._on_activated)
        texts = column_of(self._title, self._text, margins=(EDGE, SPACE, EDGE, 0), gap=GAP)
        column_of(texts, (self._view, 1), of=self, gap=GAP)

    def show_group(
        self,
        n_apis: int,
        shares: Sequence[tuple[Toolkit | None, int]],
        colours: Mapping[ToolkitId, str],
    ) -> None:
        """Show how many of the selected APIs belong to which toolkit, most first."""
        self._title.setText(f"{counted(n_apis, 'API')} selected")
        known = [t for t, _ in shares if t is not None]
        self._text.setText(
            f"From {counted(len(known), 'toolkit')}. Double-click one to select all of it."
        )
        rows: list[Row] = []
        for toolkit, n in shares:
            colour = None if toolkit is None else colours.get(toolkit.id)
            rows.append(
                Row(
                    cells=(one_line(toolkit.name) if toolkit else "No toolkit", count(n)),
                    key=None if toolkit is None else toolkit.id,
                    icon=None if colour is None else lambda c=colour: swatch(c),
                    tooltip="" if toolkit is None else f"{toolkit.name}\n{toolkit.description}",
                )
            )
        self._model.set_rows(rows)

    def _on_activated(self, index: QModelIndex) -> None:
        toolkit = index.data(KEY_ROLE)
        if toolkit is not None:
            self.toolkit_chosen.emit(toolkit)
