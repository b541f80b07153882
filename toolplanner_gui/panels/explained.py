"""Labels of fields explain the terms in them. Called by dialogs and panels when they are shown."""

from PySide6.QtWidgets import QFormLayout, QLabel, QWidget

from toolplanner_core.words.terms import meaning_of
from toolplanner_gui.viewmodels.columns import plain_tooltip


def explain_labels(shown: QWidget) -> None:
    """Give each label that has no tooltip that of its field, or what its word means."""
    for form in shown.findChildren(QFormLayout):
        for row in range(form.rowCount()):
            label, field = (
                item.widget() if (item := form.itemAt(row, role)) is not None else None
                for role in (QFormLayout.ItemRole.LabelRole, QFormLayout.ItemRole.FieldRole)
            )
            if isinstance(label, QLabel) and not label.toolTip():
                own = field.toolTip() if field is not None else ""
                label.setToolTip(own or plain_tooltip(meaning_of(label.text().replace("&", ""))))
