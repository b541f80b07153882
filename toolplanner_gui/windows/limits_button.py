"""The button of the query bar that opens the budget of a run: what may not be exceeded."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QMenu, QSpinBox, QToolButton, QWidget, QWidgetAction

from toolplanner_core.runs.spec import Limits
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.number_field import quiet_number


class LimitsButton(QToolButton):
    """Opens the budget of a run: what may not be exceeded."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "field")
        self.setText("Limits")
        self.setToolTip("What a run may use at most")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        default = Limits()
        self._model_calls = _spin(default.max_model_calls or 0, 10_000)
        self._api_calls = _spin(default.max_api_calls or 0, 10_000)
        self._seconds = _spin(round(default.max_seconds or 0), 86_400)
        form = QWidget()
        rows = QFormLayout(form)
        rows.setContentsMargins(EDGE, EDGE, EDGE, EDGE)
        rows.setSpacing(GAP)
        rows.addRow(text_label("A run may use at most", role="heading"))
        for text, spin in (
            ("Model calls", self._model_calls),
            ("API calls", self._api_calls),
            ("Seconds", self._seconds),
        ):
            rows.addRow(text, spin)
        menu = QMenu(self)
        action = QWidgetAction(menu)
        action.setDefaultWidget(form)
        menu.addAction(action)
        self.setMenu(menu)

    @property
    def limits(self) -> Limits:
        """The budget as it stands."""
        return Limits(
            max_model_calls=self._model_calls.value() or None,
            max_api_calls=self._api_calls.value() or None,
            max_seconds=float(self._seconds.value()) or None,
        )


def _spin(value: int, most: int) -> QSpinBox:
    spin = QSpinBox()
    spin.setRange(0, most)
    spin.setSpecialValueText("no limit")
    spin.setValue(value)
    quiet_number(spin)
    return spin
