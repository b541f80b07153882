"""Where tools are: a file, a folder, an address, or text that is pasted."""

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from toolplanner_core.sources.location import Location, LocationKind
from toolplanner_gui.bridge.standard_dialogs import choose_files, choose_folder
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button

_PASTED_HEIGHT = 140
_REST_MS = 300
_FILTER = "Catalogues (*.zip *.json *.jsonl *.gz *.yaml *.yml *.csv *.tsv *.parquet);;All files (*)"


class _Line(QLineEdit):
    """Return ends the line: it does not press the button of the dialog."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()


class SourceField(QWidget):
    """A line for a path or an address, buttons that fill it, and a field for text.

    Signals:
        changing: something else is being given; what was read before does not count any more.
        given: it is given, and the hand rests.
        entered: Return in the line.
    """

    changing = Signal()
    given = Signal()
    entered = Signal()

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.line = _Line()
        self.line.setPlaceholderText(
            "A folder, an archive, a file of functions, or an address and Enter"
        )
        self.line.setAccessibleName("Where the tools are")
        self.pasting = push_button("Paste text …", self._on_paste)
        self.pasting.setCheckable(True)
        buttons = (
            push_button("Choose a file …", self._on_choose_file),
            push_button("Choose a folder …", self._on_choose_folder),
            self.pasting,
        )
        for button in buttons:
            button.setAutoDefault(False)
        self.text = QPlainTextEdit()
        self.text.setProperty("role", "field")
        self.text.setAccessibleName("Pasted text")
        self.text.setPlaceholderText("Functions as JSON, or whatever a format reads")
        self.text.setTabChangesFocus(True)
        self.text.setMaximumHeight(_PASTED_HEIGHT)
        self.text.hide()
        column_of(row_of((self.line, 1), *buttons, gap=GAP), self.text, of=self, gap=GAP)
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self.given)
        self._entered = ""
        self.line.textChanged.connect(self.rest)
        self.line.editingFinished.connect(self._on_entered)
        self.line.returnPressed.connect(self.entered)
        self.text.textChanged.connect(self.rest)

    @property
    def location(self) -> Location | None:
        """What is given, None = nothing yet. Half an address is nothing: nobody shall be asked for
        what somebody has not finished typing."""
        if self.pasting.isChecked():
            text = self.text.toPlainText()
            return Location.of_text(text) if text.strip() else None
        text = self.line.text().strip()
        location = Location.of(text) if text else None
        if location is not None and location.kind is LocationKind.URL and text != self._entered:
            return None
        return location

    @property
    def is_idle(self) -> bool:
        """Whether `given` was sent for what stands here."""
        return not self._rest.isActive()

    def _on_entered(self) -> None:
        text = self.line.text().strip()
        if text != self._entered:
            self._entered = text
            if text and Location.of(text).kind is LocationKind.URL:
                self.rest()

    def rest(self) -> None:
        """Send `given` when nobody has changed anything for a moment."""
        self.changing.emit()
        self._rest.start()

    def take(self, path: Path) -> None:
        """Show a file or folder."""
        self.pasting.setChecked(False)
        self.line.setText(str(path))
        self._on_paste()

    def _on_paste(self) -> None:
        is_pasting = self.pasting.isChecked()
        self.text.setVisible(is_pasting)
        self.line.setEnabled(not is_pasting)
        if is_pasting:
            self.text.setFocus(Qt.FocusReason.OtherFocusReason)
        self.rest()

    def _on_choose_file(self) -> None:
        async def flow() -> None:
            for path in (await choose_files(self, "Import a file", _FILTER))[:1]:
                self.take(path)

        self._context.tasks.spawn(flow(), owner=self)

    def _on_choose_folder(self) -> None:
        async def flow() -> None:
            for path in await choose_folder(self, "Import a folder"):
                self.take(path)

        self._context.tasks.spawn(flow(), owner=self)
