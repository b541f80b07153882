"""When a run is held: look at the place, in the layout for it, unless the person is writing.

The node of a stop comes a moment after the stop itself (events arrive in batches), so the nearest
node above it is looked at first.
"""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from toolplanner_core.domain.ids import NodePath, nearest_known
from toolplanner_gui.context import AppContext


class HeldRunFollower(QObject):
    """Selects the held node and shows the Debug layout; a held node that is selected is looked at.

    Args:
        query: the field in which a run is asked for: whoever pressed Return there waits for it.
    """

    def __init__(self, context: AppContext, query: QLineEdit, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._query = query
        self._last: object = None
        self._chosen: NodePath | None = None
        context.debug.held_changed.connect(self._on_held_changed)
        context.run_view.nodes_changed.connect(self._on_nodes_changed)
        context.run_view.run_changed.connect(self._on_run_changed)
        context.run_view.node_changed.connect(self._on_node_changed)

    def _on_held_changed(self) -> None:
        current = self._context.debug.current
        if current is self._last:
            return
        self._last = current
        self._chosen = None
        shell, debug = self._context.shell, self._context.debug
        if current is None or self._is_writing():
            return
        if debug.is_served(current) and current.stop.point.needs_person:
            return  # an agent asks, at any time: the panel and the status bar say so
        if shell.current_layout() != "debug":
            shell.show_layout("debug")
        view = self._context.run_view
        held = debug.run_of(current)
        if held is not None and view.run != held:
            view.show_run(held)
        self._select_soon()

    def _on_run_changed(self) -> None:
        """Back at the run that is held: look at the place where it is."""
        if self._context.run_view.is_run_live and self._context.debug.is_paused:
            self._select_soon()

    def _on_nodes_changed(self, paths: Sequence[NodePath]) -> None:
        current = self._context.debug.current
        view = self._context.run_view
        is_better = current is not None and any(
            current.stop.path == p or current.stop.path.startswith(f"{p}/") for p in paths
        )
        # Only as long as nobody looked elsewhere.
        if is_better and view.node in (self._chosen, None, NodePath("")):
            self._select_soon()

    def _on_node_changed(self, origin: object) -> None:
        """Whoever selects another held branch wants to decide there."""
        view, debug = self._context.run_view, self._context.debug
        if origin is self or view.node is None or not view.is_run_live:
            return
        for held in debug.held:
            if (
                held is not debug.current
                and nearest_known(held.stop.path, self._context.run_view.nodes) == view.node
            ):
                debug.look_at(held)
                return

    def _select_soon(self) -> None:
        """After the panels have heard of the nodes as well."""
        QTimer.singleShot(0, self, self._select)

    def _select(self) -> None:
        view = self._context.run_view
        current = self._context.debug.current
        if current is None or not view.is_run_live:
            return
        path = nearest_known(current.stop.path, view.nodes)
        if path in view.nodes:
            self._chosen = path
            view.select_node(path, self)

    def _is_writing(self) -> bool:
        focus: QWidget | None = QApplication.focusWidget()
        if focus is self._query or not isinstance(focus, QLineEdit | QPlainTextEdit | QTextEdit):
            return False
        return not focus.isReadOnly()
