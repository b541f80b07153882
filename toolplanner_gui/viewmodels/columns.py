"""What all item models have in common: titled columns, numbers on the right, tooltips."""

from collections.abc import Collection, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from toolplanner_core.words.terms import meaning_of
from toolplanner_core.words.unmarked import unmarked

Role = Qt.ItemDataRole
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class Columns:
    """The columns of an item model, which derives from this before its class of Qt.

    Attributes:
        titles: of the columns.
        numbers: columns whose texts stand on the right.
        meanings: tooltips of the titles; words that are terms need none.
    """

    titles: Sequence[str] = ()
    numbers: Collection[int] = ()
    meanings: Sequence[str] = ()

    def columnCount(self, parent: Index = ROOT) -> int:
        """For Qt."""
        return len(self.titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        """For Qt."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Role.DisplayRole:
            return self.titles[section]
        if role == Role.ToolTipRole:
            own = self.meanings[section] if self.meanings else ""
            return plain_tooltip(own or meaning_of(self.titles[section]))
        return RIGHT if role == Role.TextAlignmentRole and section in self.numbers else None


def plain_tooltip(text: str, limit: int = 600) -> str:
    """A tooltip that Qt never takes for HTML: names and documentation are foreign text, whose
    markup goes."""
    if not text:
        return ""
    text = unmarked(text)
    cut = text if len(text) <= limit else f"{text[:limit]}…"
    escaped = cut.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<p style="white-space:pre-wrap">{escaped}</p>'
