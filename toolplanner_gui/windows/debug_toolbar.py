"""The strip below the query bar while a run goes or is held: where it stands, and how it goes on.

Not shown for the first moments of a run, so that a quick one does not make the window jump.
"""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QIcon, QResizeEvent
from PySide6.QtWidgets import QMenu, QToolBar, QToolButton, QWidget

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.presentation.live_lines import growing_line
from toolplanner_core.runs.presentation.states import NODE_LOOKS
from toolplanner_core.words.formatting import one_line
from toolplanner_core.words.glossary import explain_concept
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP, ICON_SIZE, SPACE
from toolplanner_gui.viewmodels.debug.debug_session import Hold
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import icon_button, set_icon
from toolplanner_gui.widgets.labels import ElidedLabel, IconLabel, text_label

_ROOM_FOR_KEYS = 1400
"""Width from which on the buttons name their keys beside the words, pixels."""
_QUICK_MS = 400
"""A run that is over by then is not worth a strip."""


class DebugToolbar(QToolBar):
    """State in a word, the sentence, the buttons of the debugger."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("Debugger", parent)
        self._context = context
        self.setObjectName("step-bar")
        self.setMovable(False)
        self.setFloatable(False)
        self.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.toggleViewAction().setVisible(False)
        self._icon = IconLabel(QIcon())
        self._word = text_label(role="heading")
        self._says = ElidedLabel()
        self._says.setAccessibleName("Where the run stands")
        self.buttons: dict[str, QToolButton] = {}
        self.branches = QToolButton()
        set_icon(self.branches, make_icon("source-branch"))
        self.branches.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.branches.setAccessibleName("Parallel branches")
        self.branches.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.branches.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._menu = QMenu(self.branches)
        self._menu.aboutToShow.connect(self._fill_menu)
        self.branches.setMenu(self._menu)
        self.addWidget(self._make_row())
        self._quick = QTimer(self, singleShot=True, interval=_QUICK_MS)
        self._quick.timeout.connect(self.refresh)
        self._where = ""
        context.debug.held_changed.connect(self._on_held_changed)
        context.run_view.live_changed.connect(self._on_live_changed)
        context.run_view.nodes_changed.connect(self._on_nodes_changed)
        context.run_view.words.grown.connect(self.refresh)
        self.refresh()

    @property
    def text(self) -> str:
        """What it says, for tests."""
        return f"{self._word.text()} {self._says.text()}"

    def refresh(self) -> None:
        """Show how the run stands now."""
        debug, view = self._context.debug, self._context.run_view
        self.setVisible(debug.is_paused or (view.is_live and not self._quick.isActive()))
        state = NodeState.PAUSED if debug.is_paused else NodeState.RUNNING
        look = NODE_LOOKS[state]
        self._icon.set_icon(make_icon(look.icon, look.token))
        self._word.setText("Held" if debug.is_paused else "Running")
        self._word.setToolTip(f"<p>{explain_concept('held')}</p>" if debug.is_paused else "")
        is_plain = debug.is_running and not debug.is_pausing
        growing = growing_line(list(view.words.replies.values())) if is_plain else ""
        where = " · ".join(filter(None, (self._where, growing)))
        self._say(where)
        for name, button in self.buttons.items():
            is_for_held = name not in ("pause", "stop")
            button.setEnabled(debug.is_paused if is_for_held else name == "stop" or is_plain)
        held = len(debug.held)
        self.branches.setText(f" {held} branches held" if held > 1 else "")
        which = "all parallel branches" if debug.hold == "all" else "only the branch that stops"
        self.branches.setToolTip(f"A stop holds {which}")

    def _say(self, where: str) -> None:
        """Where the run stands; of one that is held the reason is seen, however long the place."""
        debug = self._context.debug
        if debug.current is not None:
            from toolplanner_core.runs.presentation.debug_words import held_words

            held = held_words(debug.current)
            self._says.set_text(held.where.removeprefix("Stopped "), tail=f": {held.why}")
        else:
            self._says.set_text(debug.says if debug.is_pausing else where)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Name the keys on the buttons where there is room."""
        super().resizeEvent(event)
        has_room = event.size().width() >= _ROOM_FOR_KEYS
        for name, (title, key, *_) in _BUTTONS.items():
            self.buttons[name].setText(f" {title}  {key}" if has_room else f" {title}")

    def _make_row(self) -> QWidget:
        place = QWidget()
        keys = row_of(gap=SPACE)
        for name, (title, key, action, icon, token) in _BUTTONS.items():
            button = icon_button(
                icon, _TIPS.get(name, f"{title} ({key})"), self._doer(action), token=token
            )
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            self.buttons[name] = button
            keys.addWidget(button)
        parts = (self._icon, self._word, (self._says, 1), self.branches, keys)
        row_of(*parts, of=place, margins=(EDGE, 0, GAP, 0), gap=GAP)
        return place

    def _doer(self, action: str) -> Callable[[], None]:
        return lambda: _do(self._context, action)

    def _fill_menu(self) -> None:
        debug = self._context.debug
        self._menu.clear()
        for hold, title in _HOLDS.items():
            entry = self._menu.addAction(title)
            entry.setCheckable(True)
            entry.setChecked(debug.hold == hold)
            entry.triggered.connect(partial(self._set_hold, hold))
        if len(debug.held) < 2:
            return
        from toolplanner_core.runs.presentation.debug_words import describe_held

        self._menu.addSeparator()
        for held in debug.held:
            where = describe_held(held).removeprefix("Stopped ")
            title = one_line(f"{where[:1].upper()}{where[1:]}", 90).replace("&", "&&")
            entry = self._menu.addAction(title)
            entry.setCheckable(True)
            entry.setChecked(held is debug.current)
            entry.triggered.connect(lambda _=False, h=held: debug.look_at(h))

    def _set_hold(self, hold: Hold, _is_checked: bool = False) -> None:
        self._context.debug.set_hold(hold)
        self.refresh()

    def _on_held_changed(self) -> None:
        self.refresh()
        if self._context.debug.is_paused:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.text))

    def _on_live_changed(self) -> None:
        if self._context.run_view.is_live and not self.isVisible() and not self._quick.isActive():
            self._where = ""
            self._quick.start()
        elif not self._context.run_view.is_live:
            self._quick.stop()
        self.refresh()

    def _on_nodes_changed(self, paths: Sequence[NodePath]) -> None:
        """Say what runs: of the nodes that changed, the innermost that goes on."""
        view = self._context.run_view
        if not view.is_run_live:
            return
        running = [
            node
            for path in paths
            if (node := view.nodes.get(path)) and node.state is NodeState.RUNNING
        ]
        if running:
            self._where = max(running, key=lambda node: len(node.path)).title
            if self.isVisible() and self._context.debug.is_running:
                self.refresh()


_BUTTONS = {
    "continue": ("Continue", "F5", "debug.continue", "play", "ok"),
    "pause": ("Pause", "F8", "debug.pause", "pause", "accent"),
    "over": ("Step over", "F10", "debug.step_over", "debug-step-over", "accent"),
    "into": ("Step into", "F11", "debug.step_into", "debug-step-into", "accent"),
    "out": ("Step out", "Shift+F11", "debug.step_out", "debug-step-out", "accent"),
    "stop": ("Stop", "Shift+F5", "run.stop", "stop", "failed"),
}
_TIPS = {"continue": "Continue the held run (F5); the key runs the query when none is held"}
_HOLDS: dict[Hold, str] = {
    "all": "Hold all parallel branches at a stop",
    "one": "Hold only the branch that stops",
}


def _do(context: AppContext, action_id: str) -> None:
    from toolplanner_gui.actions.action import all_actions

    action = next(action for _, action in all_actions() if action.id == action_id)
    if action.is_enabled(context):
        action.run(context)
