"""The last row of the toolkit list: the APIs that belong to no toolkit, and those that came in
since and have no place yet."""

import numpy as np
from PySide6.QtWidgets import QPushButton

from toolplanner_core.words.wording import count, counted
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.columns import plain_tooltip

_UNPLACED = (
    "They came in since the map was made: no plan over toolkits is offered them, and no search"
    " finds them by meaning. Prepare puts them into toolkits and on the map; nothing else moves."
)
_LOOSE = "Select the APIs that no toolkit holds: no plan over toolkits is offered them"


class LooseRow(QPushButton):
    """Says how many there are, and places or selects them; hidden where each API has a toolkit."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.setProperty("role", "link")
        self.clicked.connect(lambda _=False: self._go_on())
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
        n, n_unplaced = len(self._loose), self._context.catalogue.n_unplaced
        if n_unplaced:
            self.setText(f"{counted(n_unplaced, 'new API')} without a place · Prepare …")
        else:
            self.setText(f"Without a toolkit · {count(n)}")
        self.setToolTip(plain_tooltip(_UNPLACED if n_unplaced else _LOOSE))
        self.setVisible(n + n_unplaced > 0 and bool(self._context.catalogue.toolkits))

    def _go_on(self) -> None:
        if self._context.catalogue.n_unplaced:
            self._context.shell.open("prepare")
            return
        made = {"by": "without a toolkit"}
        self._context.selection.select_apis(self._loose.tolist(), self, made=made)
