"""The bar above the map: what it is coloured by, and finding APIs to select or to show alone."""

import numpy as np
from PySide6.QtWidgets import QComboBox, QWidget

from toolplanner_core.curation.looking.map_columns import COLUMNS
from toolplanner_core.words.formatting import one_line
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.viewmodels.curate.selection import How
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import icon_button, push_button
from toolplanner_gui.widgets.input_fields import SearchField
from toolplanner_gui.widgets.labels import named, text_label

_FIELD_WIDTH = 110
_TYPED_WIDTH = 200
"""The field keeps so much while something is looked for."""
_COLUMN_WIDTH = 120
_READ_WIDTH = 150
"""The field keeps so much before the words in front of the column go."""

_NARROWEST = 300
"""Below this width the column goes, too."""
_RINGED = "Ringed on the map, as far as the filters show them"
_NOTHING: dict[How, str] = {
    "words": "No API's documentation holds all of these words",
    "regex": "No name, id or address of an API fits this pattern",
}


class MapToolbar(QWidget):
    """Colour by, find, select, show only."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self._found = np.zeros(0, dtype=bool)
        self._words = text_label("Colour by", role="dim")
        self.column = QComboBox()
        named(self.column, "Colour the map by", tip="What the colours of the map mean")
        self.column.setMinimumWidth(_COLUMN_WIDTH)
        self.column.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for each in COLUMNS:
            self.column.addItem(each.title, each.id)
        self.field = SearchField("Find on the map (Ctrl+Shift+F)")
        self.field.setMinimumWidth(_FIELD_WIDTH)
        self.pattern = icon_button("regex", "Regular expression", token="text")
        self.pattern.setCheckable(True)
        self.pattern.setToolTip(
            "Regular expression over names, ids and addresses, instead of words of the"
            " documentation"
        )
        self.count = text_label(role="dim")
        tip = "Select the APIs that were found (Return)"
        self.select_button = push_button("Select", self._on_select, tip=tip)
        self.only_button = push_button("Show only", self._on_show_only, tip="Dim all other APIs")
        found = (self.pattern, self.count, self.select_button, self.only_button)
        self._beside: tuple[QWidget, ...] = found
        parts = (self._words, self.column, (self.field, 1), *found)
        row_of(*parts, of=self, margins=(GAP, SPACE, GAP, SPACE), gap=GAP)
        self.column.activated.connect(self._on_column_activated)
        self.field.searched.connect(self._search)
        self.field.returnPressed.connect(self._on_select)
        self.pattern.toggled.connect(lambda _on: self._search(self.field.text().strip()))
        context.selecting.found.connect(self._on_found)
        context.map_look.column_changed.connect(self._show_column)
        context.map_look.known.connect(self._show_column)
        context.catalogue_changed.connect(self._forget)
        self._show_found("")
        self._show_column()

    def find(self) -> None:
        """Put the cursor into the search field."""
        self.field.find()

    def resizeEvent(self, event: object) -> None:
        """Leave words out where there is no room for them."""
        self._fit()

    def _fit(self) -> None:
        """What was typed comes before the colours, and before a button whose key is Return."""
        width, has_text = self.width(), bool(self.field.text().strip())
        beside = sum(w.sizeHint().width() + GAP for w in self._beside) if has_text else 0
        self.field.setMinimumWidth(_TYPED_WIDTH if has_text else _FIELD_WIDTH)
        left = width - 2 * GAP - beside - (_TYPED_WIDTH if has_text else 0)
        column = self.column.sizeHint().width() + GAP
        words = self._words.sizeHint().width() + GAP
        is_wide = not has_text or left >= column
        field = 0 if has_text else _READ_WIDTH + self.pattern.sizeHint().width() + 2 * GAP
        self._words.setVisible(left >= column + words + field)
        self.column.setVisible(width >= _NARROWEST and is_wide)
        for part in (self.count, self.select_button, self.only_button):
            part.setVisible(has_text)
        for part in (self.select_button, self.count, self.only_button):
            if has_text and left < 0:
                part.hide()
                left += part.sizeHint().width() + GAP

    def _how(self) -> How:
        return "regex" if self.pattern.isChecked() else "words"

    def _search(self, text: str) -> None:
        self._context.selecting.search(text, self._how())

    def _on_found(self, text: str, how: str, mask: np.ndarray, why: str) -> None:
        if text != self.field.text().strip() or how != self._how():
            return
        self._found = mask
        self._context.map_look.mark_found("map", mask if text else None)
        self._show_found(why)

    def _forget(self) -> None:
        self._found = np.zeros(len(self._context.catalogue.rowids), dtype=bool)
        self._show_found("")
        self._search(self.field.text().strip())

    def _show_found(self, why: str) -> None:
        n = int(np.count_nonzero(self._found))
        self.count.setText("Not a pattern" if why else f"{n:,} found" if n else "Nothing found")
        self.count.setToolTip(one_line(why) if why else _RINGED if n else _NOTHING[self._how()])
        for button in (self.select_button, self.only_button):
            button.setEnabled(n > 0)
        self._fit()

    def _show_column(self) -> None:
        look = self._context.map_look
        self.column.setCurrentIndex(max(self.column.findData(look.column_id), 0))

    def _on_column_activated(self, index: int) -> None:
        self._context.map_look.choose_column(self.column.itemData(index))

    def _on_select(self) -> None:
        if not self._found.any():
            return
        self._context.selecting.take_found(self._found, self.field.text().strip(), self._how())

    def _on_show_only(self) -> None:
        if self._found.any():
            words = f"found with “{one_line(self.field.text().strip(), 40)}”"
            self._context.map_look.show_only(self._found, words)
