"""An editable form from a JSON schema with the raw JSON beside it; both stay in step.

Why both: a form shows what is allowed, JSON takes what no form can say (nested values, names the
schema does not know). While the JSON is broken the form keeps the last values that could be read.
"""

import re
from collections.abc import Mapping
from html import escape
from typing import Any, cast

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFormLayout, QWidget

from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.widgets.argument_fields import MISSING, ArgumentField
from toolplanner_gui.widgets.boxes import column_of, level
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.json_editor import JsonEditor
from toolplanner_gui.widgets.labels import text_label

_SIDE_BY_SIDE_PX = 620
_NAMED = re.compile(r'"([^"]+)"')


class ArgumentForm(QWidget):
    """Fields by the schema's properties, JSON of all arguments."""

    changed = Signal()
    """The person changed an argument."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: dict[str, Any] = {}
        self._before: dict[str, Any] = {}
        self._fields: dict[str, ArgumentField] = {}
        self._labels: dict[str, QWidget] = {}
        self._form_place = column_of()
        self._form = QWidget()
        self._form_place.addWidget(self._form)
        self._form_place.addStretch(1)
        self._problem = text_label(role="problem", is_wrapped=True)
        self._problem.hide()
        self._restore = push_button("Restore what it was", self.restore, role="link")
        self._restore.hide()
        self.json = JsonEditor("Arguments as JSON")
        self.json.edited.connect(self._on_json)
        side = column_of(text_label("As JSON", role="section"), self.json, 1, gap=SPACE)
        self._sides = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._sides.setContentsMargins(0, 0, 0, 0)
        self._sides.setSpacing(EDGE)
        self._sides.addLayout(self._form_place, 1)
        self._sides.addLayout(side, 1)
        column_of(self._problem, self._restore, self._sides, of=self, gap=SPACE)

    def show_arguments(
        self,
        schema: Mapping[str, Any],
        values: Mapping[str, Any],
        *,
        before: Mapping[str, Any] | None = None,
    ) -> None:
        """Make the fields of a schema and fill them.

        Args:
            before: what it would be without the person, if it is not `values`.
        """
        self._values = dict(values)
        self._before = dict(values if before is None else before)
        self._make_fields(schema)
        self._fill_fields()
        self.json.set_value(self._values)
        self.show_problem("")
        self._mark_changes()

    @property
    def values(self) -> dict[str, Any]:
        """All arguments that are given, as they can be read."""
        return dict(self._values)

    @property
    def is_changed(self) -> bool:
        """Whether it differs from what it was."""
        return self._values != self._before or bool(self.json.problem)

    @property
    def misfit(self) -> str:
        """Why there is nothing to send, before anybody checks it against the schema."""
        if not self.json.problem and not isinstance(self.json.value, dict):
            return "Arguments are a JSON object: {…}"
        return self.json.problem

    @property
    def problem(self) -> str:
        """What is said to be wrong."""
        shown = [f.problem for f in self._fields.values() if f.problem]
        return " ".join([*shown, self._problem.text()]).strip()

    @property
    def wrong(self) -> ArgumentField | None:
        """The field at which something is said to be wrong."""
        return next((field for field in self._fields.values() if field.problem), None)

    def field(self, name: str) -> ArgumentField:
        """The field of an argument."""
        return self._fields[name]

    def show_problem(self, sentence: str) -> None:
        """Say what is wrong, at the field that the sentence names in quotes; "" = nothing."""
        named = [n for n in _NAMED.findall(sentence) if n.partition(".")[0] in self._fields]
        first = named[0].partition(".")[0] if named else ""
        for name, field in self._fields.items():
            field.show_problem(sentence if name == first else "")
        self._problem.setText("" if first else sentence)
        self._problem.setVisible(bool(sentence) and not first)

    def restore(self) -> None:
        """Take everything back to what it was."""
        self._values = dict(self._before)
        self._fill_fields()
        self.json.set_value(self._values)
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() >= _SIDE_BY_SIDE_PX
        self._sides.setDirection(
            QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        )

    def _make_fields(self, schema: Mapping[str, Any]) -> None:
        old, self._form = self._form, QWidget()
        self._form_place.replaceWidget(old, self._form)
        old.hide()
        old.deleteLater()
        rows = QFormLayout(self._form)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(GAP)
        rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._fields, self._labels = {}, {}
        found = schema.get("properties")
        properties = cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}
        required = schema.get("required")
        needed = set(cast("list[Any]", required)) if isinstance(required, list) else set[Any]()
        for name, of_one in properties.items():
            details = cast("Mapping[str, Any]", of_one) if isinstance(of_one, Mapping) else {}
            field = ArgumentField(name, details, is_required=name in needed)
            label = text_label(f"{name} *" if name in needed else name)
            label.setToolTip("Required" if name in needed else "May be left out")
            label.setBuddy(field.editor)
            level(label, field.editor)
            rows.addRow(label, field)
            field.edited.connect(lambda f=field: self._on_field(f))
            self._fields[name], self._labels[name] = field, label
        if not self._fields:
            rows.addRow(text_label("No arguments are documented.", role="dim"))

    def _fill_fields(self) -> None:
        for name, field in self._fields.items():
            field.set_value(self._values.get(name, MISSING))

    def _on_field(self, field: ArgumentField) -> None:
        if field.value is MISSING:
            self._values.pop(field.name, None)
        else:
            self._values[field.name] = field.value
        self.json.set_value(self._values)
        self._tell()

    def _on_json(self) -> None:
        value = self.json.value
        if isinstance(value, dict):
            self._values = cast("dict[str, Any]", value)
            self._fill_fields()
        self._tell()

    def _tell(self) -> None:
        self.show_problem("" if self.json.problem else self.misfit)
        self._mark_changes()
        self.changed.emit()

    def _mark_changes(self) -> None:
        for name, label in self._labels.items():
            was, now = self._before.get(name, MISSING), self._values.get(name, MISSING)
            is_changed = (was is MISSING) != (now is MISSING) or was != now
            font = label.font()
            font.setBold(is_changed)
            label.setFont(font)
            words = "Required" if self._fields[name].is_required else "May be left out"
            if is_changed:
                words += f". It was {'not given' if was is MISSING else escape(repr(was)[:200])}"
            label.setToolTip(f"<p>{words}</p>")
        self._restore.setVisible(self.is_changed)
