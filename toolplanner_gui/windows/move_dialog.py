"""Move to …: choose the toolkit that the selected APIs go to, by its name or by similarity."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QWidget

from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.move import Move
from toolplanner_core.curation.grouping.toolkit_sums import Similar
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.words.wording import count, one_line, score
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.swatches import swatch
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.search_field import SearchField
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import DialogPlugin
from toolplanner_gui.windows.edit_dialog import EditDialog

_SIZE = (460, 460)
_LIMIT = 60
_WIDTHS = {1: 64, 2: 84}


class MoveDialog(EditDialog):
    """A search field, toolkits by similarity, and whether the APIs leave all toolkits."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Move to a toolkit", verb="Move")
        self.resize(*_SIZE)
        self._chosen = context.chosen
        self._ranked: Sequence[Similar] = ()
        shares = self._chosen.shares
        whole = shares[0][0].id if len(shares) == 1 else None
        self._without = () if whole is None else (whole,)
        self.paragraph(f"Move {self._chosen.words}", role="heading")
        self.field = SearchField("Type the name of a toolkit")
        self.column.addWidget(self.field)
        self._model = TableModel(("Toolkit", "APIs", "Similarity"), self, numbers=(1, 2))
        self.list = QuietTree("Toolkits, most similar first", is_flat=True)
        self.list.set_model(self._model, _WIDTHS)
        self.column.addWidget(self.list, 1)
        self.homeless = QCheckBox("Take them out of all toolkits (no home yet)")
        self.column.addWidget(self.homeless)
        self.add_ending()
        self.field.textChanged.connect(self._fill)
        self.field.left_down.connect(self._on_left_down)
        self.field.returnPressed.connect(self.confirm)
        self.list.selectionModel().currentChanged.connect(lambda *_: self.refresh())
        self.list.activated.connect(lambda _index: self.confirm())
        self.homeless.toggled.connect(self._on_homeless)
        self._fill()
        context.tasks.spawn(self._rank(), owner=self)

    def edit(self) -> Edit | None:
        if self.homeless.isChecked():
            return Move(rowids=self._chosen.ids, to=None)
        toolkit = self.toolkit
        return None if toolkit is None else Move(rowids=self._chosen.ids, to=toolkit)

    def hint(self) -> str:
        return "No toolkit has such a name." if self.field.text() else "Choose a toolkit."

    @property
    def toolkit(self) -> ToolkitId | None:
        """The toolkit chosen in the list."""
        index = self.list.currentIndex()
        return index.data(KEY_ROLE) if index.isValid() else None

    def _on_others(self, edit: object) -> None:
        self._fill()
        super()._on_others(edit)

    async def _rank(self) -> None:
        n = len(self.context.catalogue.toolkits)
        self._ranked = await self.context.figures.rank_for(self._chosen.ids, n)
        self._fill()

    def _fill(self) -> None:
        cosine = {similar.toolkit: similar.cosine for similar in self._ranked}
        start = self.field.text().casefold().strip()

        def rank(toolkit: Toolkit) -> tuple[bool, float, str]:
            name = toolkit.name.casefold()
            return not (start and name.startswith(start)), -cosine.get(toolkit.id, -1.0), name

        found = sorted(self.context.catalogue.named(start), key=rank)
        rows = [self._row(t, cosine.get(t.id)) for t in found if t.id not in self._without]
        self._model.set_rows(rows[:_LIMIT])
        self.list.setCurrentIndex(self._model.index(0, 0))
        self.refresh()

    def _row(self, toolkit: Toolkit, cosine: float | None) -> Row:
        colour = self.context.colours.get(toolkit.id)
        similarity = "" if cosine is None else score(cosine)
        return Row(
            cells=(one_line(toolkit.name), count(toolkit.size), similarity),
            key=toolkit.id,
            icon=None if colour is None else lambda: swatch(colour),
            tooltip=f"{toolkit.name}\n{toolkit.description}".strip(),
        )

    def _on_left_down(self) -> None:
        self.list.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_homeless(self, is_homeless: bool) -> None:
        self.list.setEnabled(not is_homeless)
        self.field.setEnabled(not is_homeless)
        self.refresh()


PLUGIN = DialogPlugin(id="move", make=MoveDialog)
