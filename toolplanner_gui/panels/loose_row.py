"""The last row of the toolkit list: the APIs that belong to no toolkit."""

import numpy as np
from PySide6.QtWidgets import QPushButton

from toolplanner_core.words.wording import count
from toolplanner_gui.context import AppContext


class LooseRow(QPushButton):
    """Says how many there are and selects them; hidden where each API has a toolkit."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.setProperty("role", "link")
        self.setToolTip("<p>Select the APIs that no toolkit holds: no plan is offered them</p>")
        self.clicked.connect(lambda _=False: self._select())
        context.catalogue_changed.connect(self._show)
        context.catalogue_edited.connect(self._on_edited)
        self._show()

    @property
    def _loose(self) -> np.ndarray:
        catalogue = self._context.catalogue
        return catalogue.rowids[catalogue.labels < 0]

    def _on_edited(self, _edit: object) -> None:
        self._show()

    def _show(self) -> None:
        n = len(self._loose)
        self.setText(f"Without a toolkit · {count(n)}")
        self.setVisible(n > 0 and bool(self._context.catalogue.toolkits))

    def _select(self) -> None:
        made = {"by": "without a toolkit"}
        self._context.selection.select_apis(self._loose.tolist(), self, made=made)
