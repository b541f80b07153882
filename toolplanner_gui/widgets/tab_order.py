"""Tab goes through widgets as they are laid out, also through those that were made later.

Qt follows the order in which widgets were made: what is put between others later would come last.
"""

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QWidget,
)

_WRITTEN = (QLineEdit, QPlainTextEdit, QTextEdit)
_FIELDS = (*_WRITTEN, QAbstractSpinBox, QComboBox, QAbstractItemView)


def follow_layout(*widgets: QWidget) -> None:
    """Let Tab go through these, and what is inside of each, in this order."""
    reached = [inside for widget in widgets for inside in _reached(widget)]
    for before, after in pairwise(reached):
        QWidget.setTabOrder(before, after)


def is_in_sight(widget: QWidget) -> bool:
    """Whether any part of it is on the screen. What a child covers without a gap is the child's,
    not the widget's own."""
    if not widget.visibleRegion().isEmpty():
        return True
    children = widget.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return any(child.isVisible() and is_in_sight(child) for child in children)


def focus_pane(pane: QWidget) -> bool:
    """Give a pane the keyboard: its list, tree or map, else the first that Tab would reach; it may
    be that itself.

    Returns:
        Whether there was something to give it to.
    """
    inside = [
        widget
        for widget in (pane, *pane.findChildren(QWidget))
        if widget.isVisible()
        and widget.isEnabled()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and is_in_sight(widget)
    ]
    views = [w for w in inside if isinstance(w, QAbstractItemView) or w.property("takes")]
    for widget in (views or inside)[:1]:
        if isinstance(widget, QAbstractItemView) and not widget.currentIndex().isValid():
            # Where the arrows begin; to select it would take away what is selected elsewhere.
            flag = QItemSelectionModel.SelectionFlag.NoUpdate
            widget.selectionModel().setCurrentIndex(widget.model().index(0, 0), flag)
        widget.setFocus(Qt.FocusReason.ShortcutFocusReason)
    return bool(inside)


def first_field(form: QWidget) -> QWidget | None:
    """What a person fills in or chooses from first: the topmost field, of a row the left one."""
    fields = [
        field
        for field in form.findChildren(QWidget)
        if isinstance(field, _FIELDS)
        and field.isVisibleTo(form)
        and field.isEnabledTo(form)
        and field.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not (isinstance(field, _WRITTEN) and field.isReadOnly())
    ]

    def place(field: QWidget) -> tuple[int, int]:
        at = field.mapTo(form, QPoint(0, 0))
        return at.y(), at.x()

    return min(fields, key=place, default=None)


def put_last(form: QWidget, *buttons: QPushButton) -> None:
    """Let Tab reach these after everything else in a form, in this order."""
    chain: list[QWidget] = []
    following = form.nextInFocusChain()
    while following is not None and following is not form:
        chain.append(following)
        following = following.nextInFocusChain()
    last = next((w for w in reversed(chain) if w not in buttons and form.isAncestorOf(w)), None)
    for button in buttons:
        if last is not None:
            QWidget.setTabOrder(last, button)
        last = button


def _reached(widget: QWidget) -> Iterator[QWidget]:
    layout = widget.layout()
    if layout is not None:
        yield from _inside(layout)
    elif widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        yield widget


def _inside(layout: QLayout) -> Iterator[QWidget]:
    for position in range(layout.count()):
        item = layout.itemAt(position)
        widget, below = (item.widget(), item.layout()) if item is not None else (None, None)
        if isinstance(widget, QWidget):
            yield from _reached(widget)
        elif isinstance(below, QLayout):
            yield from _inside(below)
