"""Help on the words of the program: the list of concepts, and the page of the chosen one."""

from PySide6.QtCore import QUrl
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTextBrowser, QWidget

from toolplanner_core.words.glossary import concepts
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.viewmodels.item_models import Row, TableModel
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (640, 420)
_LIST_WIDTH = 160


class ConceptsDialog(Dialog):
    """Stays open beside the window."""

    def __init__(self, context: AppContext, parent: QWidget, *, about: str = "toolkit") -> None:
        super().__init__(context, parent, "Concepts")
        self.resize(*_SIZE)
        self._concepts = concepts()
        self.list = QuietTree("Concepts", is_flat=True)
        self.list.setHeaderHidden(True)
        self.list.setFixedWidth(_LIST_WIDTH)
        model = TableModel(("Concept",), self)
        model.set_rows(
            [Row(cells=(c.title,), key=c.id, tooltip=c.sentence) for c in self._concepts]
        )
        self.list.set_model(model, {})
        self.page = named(QTextBrowser(), "What it means")
        self.page.setOpenLinks(False)
        self.page.anchorClicked.connect(self._on_link)
        self.column.addLayout(row_of(self.list, (self.page, 1), gap=GAP), 1)
        self.add_buttons(None, "Close")
        self.list.selectionModel().currentChanged.connect(lambda *_: self._show())
        self.go_to(about)
        self.list.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # What was chosen before the style was there made low rows.
        self.list.doItemsLayout()

    def go_to(self, about: str) -> None:
        """Show a concept by its id."""
        row = next(n for n, each in enumerate(self._concepts) if each.id == about)
        self.list.setCurrentIndex(self.list.model().index(row, 0))

    def _show(self) -> None:
        self.page.setMarkdown(self._concepts[self.list.currentIndex().row()].text)

    def _on_link(self, link: QUrl) -> None:
        self.go_to(link.path())


PLUGIN = DialogPlugin.of(dialog_commands.concepts, ConceptsDialog, is_beside=True)
