"""Number fields in the look of the text fields beside them.

Qt lays the text of a spin box at its very edge when a style sheet is set, and hides it altogether
with `NoButtons`: so the buttons are made thin by the style sheet, and the margin is set here.
"""

from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox

_MARGIN = 7
_WIDTH = 96


def quiet_number(spin: QSpinBox | QDoubleSpinBox) -> None:
    """Give a spin box the margin of a text field and the width of a number."""
    spin.lineEdit().setTextMargins(_MARGIN, 0, 0, 0)
    spin.setFixedWidth(_WIDTH)
