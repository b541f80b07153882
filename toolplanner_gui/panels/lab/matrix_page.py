"""The matrix: shares of solved trials with their intervals, by two settings of the arms."""

from typing import Any

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QHeaderView

from toolplanner_core.lab.looking.matrix import (
    JUDGE,
    Matrix,
    MatrixCell,
    matrix_table,
    read_matrix,
    settings_that_vary,
    usual_axes,
)
from toolplanner_core.lab.looking.reading import ExperimentReading
from toolplanner_core.words.formatting import count, counted
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.lab.figure_page import FigurePage
from toolplanner_gui.viewmodels.item_models import (
    KEY_ROLE,
    ROOT,
    Index,
    Role,
    TableModel,
    plain_tooltip,
)
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.share_delegate import ShareDelegate, ShownShare
from toolplanner_gui.widgets.views import QuietTable

_CELL = 74
_NOTE = (
    "Bar = 95 % interval, dot = share, hatched = missing. Green or red: better or worse than the"
    " baseline, where the interval of the difference leaves 0. Return lists the trials of a cell."
)


class _MatrixModel(TableModel):
    """Cells of a matrix; its row titles stand at the left."""

    def __init__(self, parent: "MatrixPage") -> None:
        super().__init__((), parent)
        self.matrix: Matrix | None = None

    def show(self, matrix: Matrix) -> None:
        """Show another matrix."""
        self.beginResetModel()
        self.matrix, self.titles = matrix, matrix.columns
        self.endResetModel()

    def cell(self, index: Index) -> MatrixCell | None:
        """The cell at an index."""
        if self.matrix is None or not index.isValid():
            return None
        place = (self.matrix.rows[index.row()], self.matrix.columns[index.column()])
        return self.matrix.cells.get(place)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if self.matrix is None or parent.isValid() else len(self.matrix.rows)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        matrix = self.matrix
        if matrix is None or role not in (Role.DisplayRole, Role.ToolTipRole):
            return None
        is_row = orientation is Qt.Orientation.Vertical
        text = matrix.rows[section] if is_row else matrix.columns[section]
        if role == Role.DisplayRole:
            return text
        return plain_tooltip(f"{matrix.rows_by if is_row else matrix.columns_by}: {text}")

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        cell = self.cell(index)
        if cell is None:
            return None
        if role == ShareDelegate.role:
            return _shown(cell)
        if role == KEY_ROLE:
            return cell
        if role in (Role.ToolTipRole, Role.AccessibleTextRole):
            text = cell_words(cell)
            return plain_tooltip(text) if role == Role.ToolTipRole else text
        return None


class MatrixPage(FigurePage):
    """Rows and columns are chosen; one cell leads to its trials, two to their comparison."""

    id, title, icon = "matrix", "Matrix", "table-large"
    compare_wanted = Signal(str, str)

    def __init__(self, context: AppContext) -> None:
        self.view = QuietTable("Matrix of solved shares")
        self.rows_by = named(QComboBox(), "Rows of the matrix")
        self.columns_by = named(QComboBox(), "Columns of the matrix")
        super().__init__(
            context, self.view, text_label("Rows"), self.rows_by, text_label("Columns"),
            self.columns_by,
        )  # fmt: skip
        self._axes = ("", "")
        self._judge = ""
        self._of: tuple[str, ...] = ()
        self.model = _MatrixModel(self)
        self.view.set_model(self.model, {}, shares={})
        self.view.setItemDelegate(ShareDelegate(self.view))
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        rows = self.view.verticalHeader()
        rows.show()
        rows.setDefaultSectionSize(_CELL)
        rows.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.view.activated.connect(lambda _index: self.show_trials())
        self.view.clicked.connect(self._on_clicked)
        for combo in (self.rows_by, self.columns_by):
            combo.activated.connect(lambda _at: self.renew())

    def prepare(self, reading: ExperimentReading) -> None:
        experiment = reading.results.experiment
        varying = settings_that_vary(experiment)
        known = (experiment.name, *varying)
        if known != self._of:
            self._of = known
            usual = usual_axes(experiment)
            for combo, offered, chosen in (
                (self.rows_by, varying, usual[0]),
                (self.columns_by, [JUDGE, *varying], usual[1]),
            ):
                combo.clear()
                for each in offered:
                    combo.addItem(each.replace("_", " ").capitalize(), each)
                combo.setCurrentIndex(combo.findData(chosen))
        self._axes = (self.rows_by.currentData(), self.columns_by.currentData())
        self._judge = self.context.lab.judge

    def read(self, reading: ExperimentReading) -> Matrix:
        rows_by, columns_by = self._axes
        return read_matrix(
            reading.results, rows_by=rows_by, columns_by=columns_by, judge=self._judge
        )

    def draw(self, found: Matrix) -> None:
        current = self.view.currentIndex()
        row, column = max(0, current.row()), max(0, current.column())
        self.model.show(found)
        self.view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table = matrix_table(found)
        self.say(_NOTE)
        self.view.selectionModel().setCurrentIndex(
            self.model.index(min(row, len(found.rows) - 1), min(column, len(found.columns) - 1)),
            QItemSelectionModel.SelectionFlag.ClearAndSelect,
        )

    def show_trials(self) -> None:
        """List the trials of the chosen cell; of two, compare their arms."""
        cells = [each.data(KEY_ROLE) for each in self.view.selectedIndexes()]
        arms = [cell.arms[0] for cell in cells if cell is not None and len(cell.arms) == 1]
        if len(arms) == 2 and arms[0] != arms[1]:
            self.compare_wanted.emit(*arms)
        elif cells and cells[0] is not None:
            self.context.lab.choose_judge(cells[0].judge)
            self.context.lab.show_trials(arms=cells[0].arms)

    def _on_clicked(self, _index: Index) -> None:
        if len(self.view.selectedIndexes()) == 2:
            self.show_trials()


def cell_words(cell: MatrixCell) -> str:
    """A cell in words."""
    share = cell.result.share
    if share is None:
        return f"The judge {cell.judge} can judge no query of this data set."
    low, high = share.if_missing_fail, share.if_missing_pass
    lines = [f"Solved: {100 * low.value:.1f} %, 95 % interval {_interval(low.low, high.high)}"]
    if share.missing:
        lines.append(
            f"{share.missing:,} of {counted(share.planned, 'trial')} are missing: failed or passed"
            f" they make {100 * low.value:.1f} to {100 * high.value:.1f} %"
        )
    lines.append(f"n = {counted(share.planned, 'trial')}; interval: {low.method}")
    if cell.is_baseline:
        lines.append("The baseline, with which the others are compared")
    elif cell.difference is not None:
        found = cell.difference
        lines.append(
            f"Against the baseline {100 * found.value:+.1f} points"
            f" [{100 * found.low:+.1f}, {100 * found.high:+.1f}]"
        )
    return "\n".join(lines)


def _interval(low: float, high: float) -> str:
    return f"{100 * low:.1f} to {100 * high:.1f} %"


def _shown(cell: MatrixCell) -> ShownShare:
    share = cell.result.share
    if share is None:
        return ShownShare(head="Not judged", note=f"{cell.judge} judges no query here")
    low, high = share.if_missing_fail, share.if_missing_pass
    head = f"{100 * low.value:.1f} %"
    note = f"{_interval(low.low, high.high)}, n = {count(share.planned)}"
    if share.missing:
        head = f"{100 * low.value:.1f} to {100 * high.value:.1f} %"
        note = f"{count(share.finished)} of {count(share.planned)} so far"
    sign = "baseline" if cell.is_baseline else ""
    if cell.difference is not None:
        arrow = {True: "▲ ", False: "▼ ", None: ""}[cell.is_better]
        sign = f"{arrow}{100 * cell.difference.value:+.1f}"
    return ShownShare(
        head=head,
        note=note,
        sign=sign,
        ends=(low.low, high.high),
        values=(low.value, high.value),
        is_better=cell.is_better,
    )
