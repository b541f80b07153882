"""The guide in the window: its pages, opened where one is, in the colours of the theme.

The same pages as HTML files: `toolplanner guide --html FOLDER`.
"""

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QPixmap, QResizeEvent, QTextDocument
from PySide6.QtWidgets import QApplication, QTextBrowser, QWidget

from toolplanner_core.words.guide import guide_folder, guide_pages, page_about, page_as_html
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.tokens import DARK, GAP
from toolplanner_gui.viewmodels.item_models import Row, TableModel
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (860, 640)
_LIST_WIDTH = 170
_STYLE = "pre { white-space: pre-wrap; margin-left: 12px; } kbd { font-weight: 600; }"


class GuideDialog(Dialog):
    """Stays open beside the window.

    Args:
        about: the id of a panel or dialog; "" = where the keyboard is.
    """

    def __init__(self, context: AppContext, parent: QWidget, *, about: str = "") -> None:
        super().__init__(context, parent, "Guide")
        self.resize(*_SIZE)
        self._pages = guide_pages()
        self.list = QuietTree("Pages", is_flat=True)
        self.list.setHeaderHidden(True)
        self.list.setFixedWidth(_LIST_WIDTH)
        model = TableModel(("Page",), self)
        model.set_rows(
            [Row(cells=(p.title,), key=p.id, tooltip=" · ".join(p.tasks)) for p in self._pages]
        )
        self.list.set_model(model, {})
        self.page = named(_Page(), "What can be done here")
        self.column.addLayout(row_of(self.list, (self.page, 1), gap=GAP), 1)
        self.add_buttons(None, "Close")
        self.list.selectionModel().currentChanged.connect(self._show)
        context.theme.changed.connect(self._show)
        self.go_to(page_about(about or focused_place()).id)
        self.list.setFocus()

    def go_to(self, page: str) -> None:
        """Show a page by its id."""
        row = next(n for n, each in enumerate(self._pages) if each.id == page)
        self.list.setCurrentIndex(self.list.model().index(row, 0))

    def _show(self) -> None:
        mode = "-dark" if self.context.theme.tokens is DARK else ""
        shown = self._pages[self.list.currentIndex().row()]
        self.page.show_page(page_as_html(shown, picture=lambda name: f"{name}{mode}.png"))


class _Page(QTextBrowser):
    """Its pictures are as wide as there is room, and no wider than they are."""

    def __init__(self) -> None:
        super().__init__()
        self._html = ""
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._fit_pictures)
        # It would change the width of the page, and that whether it is needed.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setOpenExternalLinks(True)

    def show_page(self, html: str) -> None:
        """Show it from its top."""
        self._html = html
        self.document().setDefaultStyleSheet(_STYLE)
        self.setHtml(html)

    def loadResource(self, kind: int, name: QUrl) -> object:
        if kind != QTextDocument.ResourceType.ImageResource:
            return None
        picture = QPixmap(str(guide_folder() / "pictures" / name.fileName()))
        room = round(self.viewport().width() - 2 * self.document().documentMargin())
        smooth = Qt.TransformationMode.SmoothTransformation
        return picture.scaledToWidth(min(room, picture.width()), smooth)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            # In the next turn: a document that is replaced while it is laid out ends the program.
            self._soon.start()

    def _fit_pictures(self) -> None:
        place = self.verticalScrollBar().value()
        self.setHtml(self._html)
        self.verticalScrollBar().setValue(place)


def focused_place() -> str:
    """The id of the panel or dialog that has the keyboard; "" where none has it."""
    widget = QApplication.focusWidget()
    while widget is not None and not isinstance(widget, Panel | Dialog):
        widget = widget.parentWidget()
    return "" if widget is None else widget.objectName().removeprefix("panel-")


PLUGIN = DialogPlugin.of(dialog_commands.guide, GuideDialog, is_beside=True)
