"""What a new crawl brought: where it went, and by name what is doubtful.

Opened when new APIs were placed; stays beside the map, where a row that is chosen is selected.
"""

from PySide6.QtWidgets import QAbstractItemView, QWidget

from toolplanner_core.curation.grouping.what_is_new import WhatIsNew
from toolplanner_core.words.formatting import score
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (620, 420)
_NUMBERS = 72
"""Wide enough for "0.00" and the title, at any width of the dialog."""


class WhatIsNewDialog(Dialog):
    """One report.

    Args:
        new: what became of the new APIs.
    """

    def __init__(self, context: AppContext, parent: QWidget, *, new: WhatIsNew) -> None:
        super().__init__(context, parent, "What is new")
        self.resize(*_SIZE)
        self.summary = text_label(f"{'. '.join(new.lines)}.", is_wrapped=True)
        self.column.addWidget(self.summary)
        titles = ("New API", "Put into", "Fits best", "Likely")
        self.model = TableModel(titles, self, numbers=(3,))
        self.view = QuietTree("New APIs, those whose place is doubtful first", is_flat=True)
        self.view.set_model(self.model, {3: _NUMBERS}, shares={1: 0.24, 2: 0.26})
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.model.set_rows(
            [
                Row(
                    cells=(
                        api.title,
                        "–" if api.toolkit is None else context.catalogue.name_of(api.toolkit),
                        api.likely or "–",
                        score(api.confidence),
                    ),
                    key=api.rowid,
                    tooltip=api.words,
                )
                for api in (*new.doubtful, *new.sure)
            ]
        )
        self.view.setVisible(bool(new.doubtful or new.sure))
        self.column.addWidget(self.view, 1)
        everything = push_button("Select all new APIs", lambda: self._select(list(new.rowids)))
        self.add_buttons(everything, "Close")
        self.view.selectionModel().selectionChanged.connect(self._on_chosen)

    def _on_chosen(self) -> None:
        rows = self.view.selectionModel().selectedRows(0)
        if rowids := [index.data(KEY_ROLE) for index in rows]:
            self._select(rowids)

    def _select(self, rowids: list[int]) -> None:
        self.context.selection.select_apis(rowids, self, made={"by": "what is new"})


PLUGIN = DialogPlugin.of(dialog_commands.what_is_new, WhatIsNewDialog, is_beside=True)
