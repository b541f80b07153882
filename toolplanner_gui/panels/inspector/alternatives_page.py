"""What a strategy chooses from at one of its stop points: children of a search, agents, plans."""

from toolplanner_core.runs.debugging.stops import Stop, StopDecision
from toolplanner_core.runs.telling.stop_choices import taking
from toolplanner_core.words.wording import one_line, score
from toolplanner_gui.panels.inspector.decision_page import DecisionPage
from toolplanner_gui.theme.tokens import GAP, ROW_HEIGHT
from toolplanner_gui.viewmodels.table_model import Row, TableModel
from toolplanner_gui.widgets.views import QuietTree

_SCORE_WIDTH = 76
_MOST_ROWS = 12


class AlternativesPage(DecisionPage):
    """The alternatives in their order; the first one is what would be taken."""

    def __init__(self) -> None:
        super().__init__()
        self._stop: Stop | None = None
        self.model = TableModel(("Alternative", "Score"), self, numbers=(1,))
        self.view = QuietTree("Alternatives, best first", is_flat=True)
        self.view.set_model(self.model, {1: _SCORE_WIDTH})
        self.view.selectionModel().currentChanged.connect(lambda *_: self.changed.emit())
        self.stack(self.view)

    def show_stop(self, stop: Stop) -> None:
        self._stop = stop
        rows: list[Row] = []
        for each in stop.alternatives:
            parts = " · ".join(f"{name} {part:.2f}" for name, part in each.parts.items())
            points = "" if each.score is None else score(each.score)
            cells = (one_line(each.title), points)
            rows.append(Row(cells=cells, key=each.id, tooltip=f"{each.title}\n{parts}".strip()))
        self.model.set_rows(rows)
        self.view.setColumnHidden(1, not any(row.cells[1] for row in rows))
        self.view.setFixedHeight((min(len(rows), _MOST_ROWS) + 1) * ROW_HEIGHT + GAP)
        self.view.setCurrentIndex(self.model.index(0, 0))

    def decision(self) -> StopDecision | None:
        at = self.view.currentIndex()
        assert self._stop is not None
        return taking(self._stop, self.model.row(at.row()).key) if at.isValid() else None
