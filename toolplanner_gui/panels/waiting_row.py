"""A row below the list of toolkits: APIs that no run uses until a person accepts how they are
documented now. Else nothing in Curate would tell of them once the report of an import is closed."""

from PySide6.QtWidgets import QPushButton

from toolplanner_core.words.wording import counted
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.columns import plain_tooltip

_WHY = "Neither planned with nor called until you accept what an import changed of them"


class WaitingRow(QPushButton):
    """Says how many there are and leads to what changed; hidden where none waits."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.setProperty("role", "link")
        self.setToolTip(plain_tooltip(_WHY))
        self.clicked.connect(self._look)
        context.catalogue_changed.connect(self._show)
        context.catalogue_edited.connect(self._on_edited)
        self._show()

    def _on_edited(self, _edit: object) -> None:
        self._show()

    def _look(self) -> None:
        self._context.shell.open("changes")

    def _show(self) -> None:
        n = int(self._context.catalogue.waiting.sum())
        self.setText(f"{counted(n, 'API')} with changed documentation · Look …")
        self.setVisible(n > 0)
