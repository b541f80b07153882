"""A choice whose text ends in dots where it does not fit; Qt cuts it in the middle of a letter."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox

_MARGIN = 4
"""Between the edge of the field and its text, which styles keep on either side."""


class ElidingCombo(QComboBox):
    """Asks for little width; the list that opens shows all of each text."""

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        super().initStyleOption(option)
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        option.currentText = self.fontMetrics().elidedText(
            option.currentText, Qt.TextElideMode.ElideRight, room.width() - _MARGIN
        )
