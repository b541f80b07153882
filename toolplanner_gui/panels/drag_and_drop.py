"""Carrying the selection over the window, from the map or a list, and dropping it on a toolkit.

No drag and drop of the system, whose own event loop would stop the window's: the widget that was
pressed tells where the hand is, the panel below the hand tells which toolkit is there.
"""

from typing import Any, Protocol, runtime_checkable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from toolplanner_core.curation.edits.move import Move
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_gui import panel_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.labels import text_label

_BELOW_HAND = QPoint(16, 12)


class DragSource(Protocol):
    """What a selection can be taken from.

    Attributes:
        carried: signal: the global place of the hand; None when it has let go or given up.
        dropped: signal: the global place where it let go.
    """

    # Not Signal: that types what a class holds, not what an instance gives.
    carried: Any
    dropped: Any

    def cancel_drag(self) -> bool: ...


@runtime_checkable
class DropTarget(Protocol):
    """A panel with toolkits to drop on."""

    def toolkit_at(self, place: QPoint | None) -> ToolkitId | None:
        """The toolkit at a global place, which looks marked until the next question."""
        ...


class SelectionDrag(QObject):
    """The selection in a hand; a line beside it says what letting go would do, Escape gives up.

    Args:
        source: where the selection is taken from.
        panel: that holds it.
    """

    def __init__(self, context: AppContext, source: DragSource, panel: QWidget) -> None:
        super().__init__(panel)
        self._context = context
        self._panel = panel
        self._source = source
        self._ghost = text_label(role="card")
        self._ghost.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._ghost.setContentsMargins(GAP, SPACE, GAP, SPACE)
        self._ghost.setParent(panel)
        self._ghost.hide()
        self._below: DropTarget | None = None
        source.carried.connect(self._on_carried)
        source.dropped.connect(self._on_dropped)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_key = event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if not is_key or not isinstance(event, QKeyEvent) or event.key() != Qt.Key.Key_Escape:
            return False
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            self._source.cancel_drag()
        return True

    def _on_carried(self, place: QPoint | None) -> None:
        app = QApplication.instance()
        assert app is not None
        if place is None:
            app.removeEventFilter(self)
            self._ghost.hide()
            self._look_below(None)
            return
        if self._ghost.isHidden():
            app.installEventFilter(self)
            self._ghost.setParent(self._panel.window())
        toolkit = self._look_below(place)
        self._ghost.setText(self._words(toolkit))
        self._ghost.adjustSize()
        window = self._panel.window()
        at = window.mapFromGlobal(place) + _BELOW_HAND
        free = window.size() - self._ghost.size()
        self._ghost.move(min(at.x(), free.width()), min(at.y(), free.height()))
        self._ghost.show()
        self._ghost.raise_()

    def _on_dropped(self, place: QPoint) -> None:
        toolkit = self._look_below(place)
        self._look_below(None)
        if toolkit is not None:
            drop_selection(self._context, toolkit)

    def _look_below(self, place: QPoint | None) -> ToolkitId | None:
        """The toolkit below the hand that would take the selection."""
        panel = None if place is None else QApplication.widgetAt(place)
        while panel is not None and not isinstance(panel, DropTarget):
            panel = panel.parentWidget()
        if self._below is not None and self._below is not panel:
            self._below.toolkit_at(None)
        self._below = panel
        toolkit = None if panel is None else panel.toolkit_at(place)
        own = self._context.chosen.one_toolkit
        return None if own is not None and own.id == toolkit else toolkit

    def _words(self, to: ToolkitId | None) -> str:
        chosen = self._context.chosen
        toolkit = None if to is None else self._context.catalogue.toolkit(to)
        if toolkit is None:
            return f"{one_line(chosen.words, 60)}: drop on a toolkit, on the map or in the list"
        what = f"{one_line(chosen.words, 60)} to “{one_line(toolkit.name, 60)}”"
        if chosen.toolkits:
            return f"Stage for a merge: {what}"
        ended = chosen.would_end(without=toolkit.id)
        if not ended:
            return f"Move {what} and pin there"
        name, many = one_line(ended[0].name, 60), counted(len(ended), "toolkit")
        ends = f"“{name}” ends" if len(ended) == 1 else f"{many} end"
        return f"Move {what} and pin there; {ends}, empty"


def drop_selection(context: AppContext, toolkit: ToolkitId) -> None:
    """Move the selected APIs to a toolkit; whole toolkits are staged for a merge instead."""
    chosen = context.chosen
    if not chosen.toolkits:
        origin = {"by": "drop", "set": dict(chosen.made)}
        context.curation.do(Move(rowids=chosen.ids, to=toolkit), origin=origin)
        return
    context.staging.add((*(t.id for t in chosen.toolkits), toolkit), made=chosen.made)
    context.staging.merge_into(toolkit)
    context.shell.call_panel(panel_commands.focus_staging_tray)
