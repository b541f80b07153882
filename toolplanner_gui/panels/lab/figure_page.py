"""What all figures of an experiment have in common: read in a thread, shown as a picture or as a
table, copied in four forms, with a line that says what is seen."""

from typing import Any, ClassVar

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from toolplanner_core.lab.export.tables import ResultTable
from toolplanner_core.lab.export.writing import csv_table, latex_table, shown_rows
from toolplanner_core.lab.looking.reading import ExperimentReading
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.item_models import Row, TableModel
from toolplanner_gui.widgets.box_layouts import Part, column_of, pages_of, row_of
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.plots import Legend, legend_html
from toolplanner_gui.widgets.views import QuietTree

FORMS = {"png": "picture (PNG)", "svg": "drawing (SVG)", "csv": "CSV", "latex": "LaTeX"}
_PICTURE, _TABLE, _EMPTY = range(3)


class FigurePage(QWidget):
    """A figure. A page of its own reads in `read`, in a thread, and draws in `draw`.

    Attributes:
        id, title: of the page; icon of what it says where it is empty.
        picture: the widget that is drawn.
        table: what is seen, as a table; None = nothing is.
        is_table: the table is shown, not the picture.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    icon: ClassVar[str] = "chart-bar"

    def __init__(self, context: AppContext, picture: QWidget, *controls: Part) -> None:
        super().__init__()
        self.context = context
        self.newest = LatestRequest(context.tasks, self)
        self.picture = picture
        self.table: ResultTable | None = None
        self.is_table = False
        self.note = text_label(role="dim", is_wrapped=True, name=f"What {self.title} says")
        self.legend = text_label(is_wrapped=True, name="Legend")
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.hide()
        self.rows = QuietTree(f"{self.title} as a table", is_flat=True)
        self.empty = EmptyState(self.icon)
        self.pages = pages_of(picture, self.rows, self.empty)
        self.controls = row_of(*controls, 1, gap=GAP)
        column_of(
            self.controls, self.note, self.legend, (self.pages, 1), of=self,
            margins=(EDGE, GAP, EDGE, GAP), gap=GAP,
        )  # fmt: skip

    def read(self, reading: ExperimentReading) -> Any:
        """What is drawn. Any thread; what a person chose was taken by `prepare` before."""
        raise NotImplementedError

    def prepare(self, reading: ExperimentReading) -> None:
        """Fill the choices for an experiment, and take what is chosen."""

    def draw(self, found: Any) -> None:
        """Show what was read: set `table`, or `say_empty`."""
        raise NotImplementedError

    def renew(self) -> None:
        """Show the experiment as it was read last."""
        reading = self.context.lab.reading
        if reading is None:
            self.say_empty(self.context.lab.problem or "No trial has run yet.")
            return
        self.prepare(reading)

        def drawn(found: Any) -> None:
            self.draw(found)
            self._show_table()

        self.newest.ask(lambda: self.read(reading), drawn)

    def say_empty(self, why: str) -> None:
        """Say why there is no figure, and what to do."""
        self.table = None
        self.note.setText("")
        self.legend.setText("")
        self.legend.hide()
        self.empty.say(why)
        self.pages.setCurrentIndex(_EMPTY)

    def say(self, note: str, *, legend: Legend = ()) -> None:
        """The line above the figure, with how much is still to come."""
        reading = self.context.lab.reading
        so_far = reading.so_far if reading is not None else ""
        self.note.setText(f"{so_far} {note}".strip())
        self.show_legend(legend)

    def show_legend(self, legend: Legend) -> None:
        """Say which symbol or colour is what."""
        self.legend.setText(legend_html(legend))
        self.legend.setVisible(bool(legend) and not self.is_table)

    def turn_table(self) -> None:
        """Show the table, or the picture again."""
        self.is_table = not self.is_table
        self._show_table()

    def focus_figure(self) -> None:
        """Put the keyboard on what is shown."""
        shown = self.pages.currentWidget()
        if shown is not None:
            shown.setFocus()

    def copy_as(self, form: str) -> str:
        """Copy the figure; a sentence that says so."""
        table = self.table
        if table is None:
            return "There is no figure to copy yet"
        clipboard = QGuiApplication.clipboard()
        if form == "png":
            clipboard.setImage(self._shown().grab().toImage())
        elif form == "svg":
            clipboard.setText(bytes(self._drawing().data()).decode())
        else:
            clipboard.setText(csv_table(table) if form == "csv" else latex_table(table))
        return f"Copied {self.title} as {FORMS[form]}"

    def _show_table(self) -> None:
        if self.table is None:
            return
        if self.is_table:
            self._fill_rows(self.table)
        self.pages.setCurrentIndex(_TABLE if self.is_table else _PICTURE)
        self.legend.setVisible(bool(self.legend.text()) and not self.is_table)

    def _fill_rows(self, table: ResultTable) -> None:
        shown = shown_rows(table)
        figures = {at for at, title in enumerate(table.columns) if title in table.shares}
        model = TableModel([each.capitalize() for each in table.columns], self, numbers=figures)
        model.meanings = [table.note] * len(table.columns)
        model.set_rows([Row(cells=tuple(cells), key=at) for at, cells in enumerate(shown)])
        before = self.rows.model()
        self.rows.set_model(model, {})
        header = self.rows.header()
        header.setResizeContentsPrecision(0)
        for column in range(1, model.columnCount()):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        if before is not None:
            before.deleteLater()

    def _shown(self) -> QWidget:
        return self.rows if self.is_table else self.picture

    def _drawing(self) -> QByteArray:
        from PySide6.QtSvg import QSvgGenerator

        shown, drawing, buffer = self._shown(), QByteArray(), QBuffer()
        buffer.setBuffer(drawing)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        generator = QSvgGenerator()
        generator.setOutputDevice(buffer)
        generator.setSize(QSize(shown.width(), shown.height()))
        generator.setViewBox(QRect(0, 0, shown.width(), shown.height()))
        generator.setTitle(self.title)
        painter = QPainter(generator)
        shown.render(painter, QPoint())
        painter.end()
        buffer.close()
        return drawing
