"""The judges: which share each calls solved, and how far two of them agree."""

from toolplanner_core.lab.looking.judging import (
    JudgesFigure,
    agreement_rows,
    judges_table,
    read_judges,
)
from toolplanner_core.lab.looking.reading import ExperimentReading
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.lab.figure_page import FigurePage
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.views import QuietTree

_TITLES = ("Judge", "And", "Agree", "Kappa", "Differ")
_NOTE = (
    "Two judges on the trials that both judged: how often they say the same, with a 95 % interval;"
    " Cohen's kappa (1 = always, 0 = as by chance); and trials of which they say the opposite,"
    " which Return lists. People join by “Judge blindly”."
)


class JudgesPage(FigurePage):
    """A row leads to the trials of which two judges say the opposite."""

    id, title, icon = "judges", "Judges", "scale-balance"

    def __init__(self, context: AppContext) -> None:
        self.model = TableModel(_TITLES, numbers=(2, 3, 4))
        self.view = QuietTree("How far judges agree", is_flat=True)
        self.view.set_model(self.model, {2: 210, 3: 70, 4: 70})
        super().__init__(context, self.view)
        self._found: JudgesFigure | None = None
        self.view.activated.connect(lambda index: self._on_chosen(index.data(KEY_ROLE)))

    def read(self, reading: ExperimentReading) -> JudgesFigure:
        store = self.context.lab.store
        assert store is not None
        return read_judges(reading, store)

    def draw(self, found: JudgesFigure) -> None:
        self._found = found
        if not found.pairs:
            self.say_empty(
                "One judge has judged alone. Judge some answers blindly, at the left, to"
                " see how far it agrees with you."
            )
            return
        self.table = judges_table(found)
        self.model.set_rows(
            [Row(cells=cells, key=at) for at, cells in enumerate(agreement_rows(found))]
        )
        self.say("\n".join((_NOTE, *found.lines)))

    def _on_chosen(self, position: object) -> None:
        if isinstance(position, int) and self._found is not None:
            self.context.lab.show_numbers(self._found.pairs[position].differing)
