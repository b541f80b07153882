"""A form for any options class: one editor for each of its options."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QWidget

from toolplanner_core.options.option import describe_options
from toolplanner_core.options.values import make_options, options_to_json
from toolplanner_core.sources.source import Offered
from toolplanner_gui.forms.option_editor import OptionEditor
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.box_layouts import level
from toolplanner_gui.widgets.labels import text_label

_LABEL_WIDTH = 136
"""All forms have their fields at the same place, one below the other."""


class OptionForm(QWidget):
    """Fields in the order of the declaration, filled with the defaults.

    Args:
        of: whose options they are, for messages: "strategy tool-planner".
    """

    edited = Signal()
    """The person changed an option."""

    def __init__(self, options: type, *, of: str) -> None:
        super().__init__()
        self._options, self._of = options, of
        self._offered: set[str] = set()
        self._rows = rows = form_rows(self)
        self.editors = {each.name: OptionEditor(each, of=of) for each in describe_options(options)}
        for editor in self.editors.values():
            rows.addRow(form_label(editor.option.title, editor.field), editor)
            editor.edited.connect(self.edited)

    def offer(self, offered: Mapping[str, Offered]) -> None:
        """Let some options be chosen from what there is; those of before have nothing to choose."""
        for name in {*offered, *self._offered}:
            editor = self.editors[name]
            editor.offer(offered.get(name))
            label = self._rows.labelForField(editor)
            if isinstance(label, QLabel):
                label.setBuddy(editor.field)
        self._offered |= offered.keys()

    def set_tab_order_after(self, before: QWidget) -> QWidget:
        """Come in the order of the tab key after a widget. Returns the last field."""
        for editor in self.editors.values():
            QWidget.setTabOrder(before, editor.field)
            before = editor.field
        return before

    @property
    def problem(self) -> str:
        """What is wrong first, "" = nothing."""
        return next((e.problem for e in self.editors.values() if e.problem), "")

    @property
    def instance(self) -> Any:
        """The options as their class.

        Raises:
            BadInput: something does not fit.
        """
        given = {name: editor.given for name, editor in self.editors.items()}
        return make_options(self._options, given, of=self._of)

    @property
    def values(self) -> dict[str, Any]:
        """What differs from the defaults, as JSON.

        Raises:
            BadInput: something does not fit.
        """
        usual = options_to_json(self._options())
        values = options_to_json(self.instance)
        return {name: value for name, value in values.items() if value != usual[name]}

    def put(self, values: Mapping[str, Any]) -> None:
        """Show these values, and the defaults for all others.

        Raises:
            BadInput: one is no option, or does not fit.
        """
        made = make_options(self._options, values, of=self._of)
        for name, editor in self.editors.items():
            editor.put(getattr(made, name))


def form_rows(parent: QWidget) -> QFormLayout:
    """The rows of a form, labels to the left."""
    rows = QFormLayout(parent)
    rows.setContentsMargins(0, 0, 0, 0)
    rows.setSpacing(GAP)
    rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return rows


def form_label(text: str, field: QWidget) -> QLabel:
    """The label of a field, as wide as all others."""
    label = text_label(text, is_wrapped=True)
    label.setFixedWidth(_LABEL_WIDTH)
    label.setToolTip(field.toolTip())
    label.setBuddy(field)
    level(label, field)
    return label
