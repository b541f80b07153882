"""No two commands that can be given at the same place have the same key: Qt would do neither."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from tests.gui.windows.test_debugging import PLAIN, Person, person, shown
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui.actions.action import all_actions
from toolplanner_gui.layouts import BY_ID
from toolplanner_gui.panels.panel import places_in

__all__ = ["person", "shown"]

_WIDGET = (
    Qt.ShortcutContext.WidgetShortcut,
    Qt.ShortcutContext.WidgetWithChildrenShortcut,
)


class Given(NamedTuple):
    """A key that does something now, and where it does."""

    key: str
    what: str
    owner: QWidget
    is_everywhere: bool

    def meets(self, other: "Given") -> bool:
        if self.key != other.key or self.what == other.what:
            return False
        if self.is_everywhere or other.is_everywhere:
            return True
        owners = (self.owner, other.owner)
        return owners[0] is owners[1] or owners[0].isAncestorOf(owners[1])


def given(window: QWidget) -> Iterator[Given]:
    for action in window.findChildren(QAction):
        owners = [w for w in action.associatedObjects() if isinstance(w, QWidget)]
        for owner in owners:
            if action.isEnabled() and owner.isVisible() and not isinstance(owner, QMenu):
                everywhere = action.shortcutContext() not in _WIDGET
                for key in action.shortcuts():
                    what = action.objectName() or action.text()
                    yield Given(key.toString(), what, owner, everywhere)
    for shortcut in window.findChildren(QShortcut):
        owner = shortcut.parent()
        if isinstance(owner, QWidget) and shortcut.isEnabled() and owner.isVisible():
            key = shortcut.key().toString()
            what = f"{type(owner).__name__} {key}"
            yield Given(key, what, owner, shortcut.context() not in _WIDGET)


def ambiguous(window: QWidget) -> set[tuple[str, str, str]]:
    found = list(given(window))
    assert len(found) > 30
    return {
        (one.key, one.what, other.what)
        for place, one in enumerate(found)
        for other in found[place + 1 :]
        if one.meets(other)
    }


def test_commands_of_the_menus_when_all_are_enabled_then_no_key_has_two() -> None:
    for here in (*BY_ID, "map"):
        places = {"", here, "curate"} if here == "map" else {"", here}
        counted = Counter(
            QKeySequence.fromString(key).toString()
            for _, action in all_actions()
            for key, place in action.shortcuts
            if place in places
        )
        assert [key for key, n in counted.items() if n > 1] == []


def test_keys_when_each_panel_is_shown_then_none_is_ambiguous(person: Person, qtbot) -> None:
    window, context = person.window, person.context
    context.selection.select_toolkit(context.catalogue.toolkits[0].id)
    for _ in range(2):
        context.run_view.start(RunSpec(query=PLAIN, provider="demo"))
        person.waits_for_end()
    found: set[tuple[str, str, str]] = set()
    for layout in BY_ID:
        window.show_layout(layout)
        for panel in places_in(layout):
            window.workspace_view.docks.reveal(panel)
            person.waits(lambda: window.is_idle)
            found |= ambiguous(window)
    assert found == set()


def test_keys_when_a_run_is_held_then_none_is_ambiguous(person: Person) -> None:
    person.asks(PLAIN)
    person.does("debug.step_over")
    person.waits_for_hold()
    person.does("run.decide")
    person.waits(lambda: person.window.is_idle)
    assert ambiguous(person.window) == set()
    person.does("run.stop")
    person.waits_for_end()


def test_compare_key_when_two_runs_are_selected_then_they_are_compared(
    person: Person, qtbot
) -> None:
    context = person.context
    for _ in range(2):
        context.run_view.start(RunSpec(query=PLAIN, provider="demo"))
        person.waits_for_end()
    context.selection.select_toolkit(context.catalogue.toolkits[0].id)
    person.window.show_layout("debug")
    runs = person.window.workspace_view.docks.reveal("runs")
    runs.view.setFocus()
    runs.view.selectAll()
    qtbot.keyClick(runs.view, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert context.run_view.compared == (1, 2)
    assert not context.selection.is_empty
