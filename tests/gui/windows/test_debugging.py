"""Debugging in the window: step bar, keys, breakpoints and faults, over the demo workspace."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QWidget

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.faults import FaultTarget
from toolplanner_core.runs.debugging.saved_rules import RuleKind, SavedRule, saved_rules
from toolplanner_core.workspace.settings import set_setting
from toolplanner_gui.actions.debug_menu import node_debug_entries, selection_fault_entries
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.panels.map_panel import MapPanel
from toolplanner_gui.viewmodels.debug.debug_session import DebugSession
from toolplanner_gui.windows.fork_dialog import ForkDialog
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.rule_dialogs import BreakpointDialog, FaultDialog

REPLAN = "Show me the crime statistics of Springfield, Illinois."
PLAIN = "Convert 26.2 miles to kilometres."
WAIT_MS = 30_000


@pytest.fixture
def shown(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0, timeout=WAIT_MS)
    qtbot.waitUntil(
        lambda: window.workspace_view.query_bar.options.form is not None, timeout=WAIT_MS
    )
    return window


def above(path: NodePath) -> NodePath:
    return NodePath(path.rpartition("/")[0])


class Person:
    """Presses keys and waits for what the window shows."""

    def __init__(self, window: MainWindow, qtbot) -> None:
        self.window = window
        self.context = window._context
        self._qtbot = qtbot

    @property
    def debug(self) -> DebugSession:
        """The debugger of the workspace that is open."""
        return self.context.debug

    def asks(self, query: str) -> None:
        self.window.workspace_view.query_bar.query.setText(query)

    def does(self, action_id: str) -> None:
        action = self.window.findChild(QAction, action_id)
        assert isinstance(action, QAction), action_id
        assert action.isEnabled(), action_id
        action.trigger()

    def presses(self, widget: QWidget | None, key: Qt.Key) -> None:
        self._qtbot.keyClick(widget, key)

    def waits(self, until: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(until, timeout=WAIT_MS)

    def waits_for_hold(self) -> None:
        self.waits(lambda: self.debug.is_paused)

    def waits_for_end(self) -> None:
        self.waits(lambda: not self.context.run_view.is_live)
        self.waits(
            lambda: (
                self.context.run_view.summary is not None
                and self.context.run_view.summary.status is not Status.RUNNING
            )
        )


@pytest.fixture
def person(shown: MainWindow, qtbot) -> Person:
    return Person(shown, qtbot)


def test_step_keys_when_pressed_from_start_to_end_then_the_run_is_solved(person: Person) -> None:
    assert not person.window.workspace_view.step_bar.isVisible()
    person.asks(PLAIN)
    person.does("debug.step_over")
    said: list[str] = []
    keys = [*["debug.step_into"] * 5, "debug.step_over", "debug.step_out"]
    while person.context.run_view.is_live:
        person.waits(lambda: person.debug.is_paused or not person.context.run_view.is_live)
        if person.debug.is_paused:
            said.append(person.window.workspace_view.step_bar.text)
            assert person.window.workspace_view.step_bar.isVisible()
            assert person.window.windowTitle().startswith("Held · ")
            person.does(keys[len(said) % 7])
    assert said[0] == "Held before the question “Make a plan” to the model: begun step by step"
    assert said[1].endswith(": after a step")
    assert any(text.startswith("Held before the call ") for text in said)
    person.waits_for_end()
    summary = person.context.run_view.summary
    assert summary is not None
    assert summary.status is Status.SOLVED
    assert "42.1" in summary.answer
    assert not person.window.workspace_view.step_bar.isVisible()
    assert not person.window.windowTitle().startswith("Held")
    person.does("debug.fork_here")
    person.waits(lambda: person.window.findChild(ForkDialog) is not None)
    person.window.findChild(ForkDialog).reject()


def test_break_when_a_toolkit_is_exhausted_then_held_there_and_shown(person: Person) -> None:
    panel = person.window.workspace_view.docks.panel("rules").breakpoints
    assert panel.empty.sentence == "Hold a run where it gets interesting."
    person.does("debug.breakpoints")
    person.waits(lambda: person.window.focusWidget() is not None)
    person.presses(person.window.focusWidget(), Qt.Key.Key_Return)
    assert panel.model.rowCount() == 1
    person.asks(REPLAN)
    person.does("debug.continue")
    person.waits_for_hold()
    current = person.debug.current
    assert current is not None
    assert current.stop.point.failure == "exhausted"
    assert person.debug.says == (
        "Stopped because a toolkit is exhausted (Crime statistics):"
        " breakpoint “A toolkit is exhausted”"
    )
    assert person.window.current_layout() == "debug"
    person.waits(lambda: person.context.run_view.node == current.stop.path)
    tree = person.window.workspace_view.docks.panel("run_tree")
    person.waits(lambda: tree._active == {current.stop.path: "paused"})
    assert tree.model.path_of(tree.tree.currentIndex()) == current.stop.path
    assert tree.head.facts.text().startswith("Held · ")
    assert panel.model.index(0, 2).data() == "1"
    assert "run held" in person.window.statusBar().file_label.text()
    person.does("debug.continue")
    person.waits_for_end()
    summary = person.context.run_view.summary
    assert summary is not None
    assert (summary.status, summary.replans) == (Status.SOLVED, 1)
    assert panel.model.index(0, 2).data() == "1"
    kept = saved_rules(person.context.workspace, RuleKind.BREAKPOINT)
    assert [rule.hits for rule in kept] == [1]


def test_f9_when_pressed_twice_then_the_breakpoint_of_the_node_comes_and_goes(
    person: Person,
) -> None:
    person.asks(PLAIN)
    person.does("run.start")
    person.waits_for_end()
    view = person.context.run_view
    call = next(node for node in view.nodes.values() if node.kind == "call")
    view.select_node(call.path)
    person.does("debug.toggle_breakpoint")
    (item,) = person.debug.breakpoints.items
    assert parse_breakpoint(item.text).parts == {"api": call.title, "at": "before_call"}
    person.does("run.start")
    person.waits_for_hold()
    assert person.debug.current is not None
    assert person.debug.current.stop.title == call.title
    person.debug.breakpoints.remove([item.text])
    person.does("debug.continue")
    person.waits_for_end()


def test_pause_when_pressed_then_held_at_the_next_stop(person: Person) -> None:
    person.debug.breakpoints.put("at=before_question")
    person.asks(REPLAN)
    person.does("run.start")
    person.waits_for_hold()
    person.debug.breakpoints.remove(["at=before_question"])
    person.does("debug.continue")
    person.does("debug.pause")
    assert person.debug.says == "Pausing at the next stop point"
    person.waits_for_hold()
    assert person.debug.says.endswith(": you paused it")
    person.does("run.stop")
    person.waits_for_end()
    assert not person.debug.is_paused
    assert not person.window.workspace_view.step_bar.isVisible()


def test_run_to_here_when_a_later_step_is_chosen_then_held_there(person: Person) -> None:
    person.asks(
        "Find the coordinates of Reykjavik, then tell me the times of sunrise and sunset there"
        " on 2026-12-21."
    )
    person.debug.breakpoints.put("at=before_call,hits=1")
    person.does("run.start")
    person.waits_for_hold()
    person.debug.breakpoints.switch(is_on=False)
    view = person.context.run_view
    person.waits(lambda: "plan.1/step.2" in view.nodes)
    later = next(path for path in view.nodes if path == "plan.1/step.2")
    view.select_node(later)
    person.does("debug.run_to")
    person.waits(lambda: person.debug.is_paused and person.debug.current is not None)
    assert person.debug.current is not None
    assert person.debug.current.stop.path.startswith("plan.1/step.2")
    assert "you ran it to here" in person.debug.says
    person.does("run.stop")
    person.waits_for_end()


def test_fault_when_injected_into_a_held_run_then_its_next_call_fails(person: Person) -> None:
    person.debug.breakpoints.put("at=before_call,hits=1")
    person.asks(PLAIN)
    person.does("run.start")
    person.waits_for_hold()
    assert person.debug.current is not None
    person.debug.breakpoints.switch(is_on=False)
    title = person.debug.current.stop.title
    person.debug.inject(FaultTarget(api=title), "timeout", is_next_only=True)
    panel = person.window.workspace_view.docks.panel("rules").faults
    row = [panel.model.index(0, column).data() for column in range(4)]
    assert row == ["No reply in time", title, "The next call", ""]
    said: list[str] = []
    person.context.message_shown.connect(said.append)
    person.does("debug.continue")
    person.waits_for_end()
    once = f"A fault struck {title}: no reply in time; it was for once and is gone"
    assert once in said
    failed = [n for n in person.context.run_view.nodes.values() if n.error == "timeout"]
    assert failed[0].title == title
    story = person.window.workspace_view.docks.panel("run_tree").head.story
    person.waits(lambda: story.text().startswith("A fault was injected. Solved after 1 "))
    assert "took over" in story.text()
    assert person.debug.faults.items == ()
    assert saved_rules(person.context.workspace, RuleKind.FAULT) == []


def test_faults_when_switched_on_then_they_are_in_the_spec_of_new_runs(person: Person) -> None:
    person.debug.faults.put("500:all,next=1")
    person.debug.faults.put("429:all")
    person.debug.faults.switch("429:all", is_on=False)
    said = person.window.workspace_view.query_bar.faults
    assert (said.isVisible(), said.text()) == (True, "1 fault active")
    person.debug.faults.switch("500:all,next=1", is_on=False)
    assert not said.isVisible()
    person.debug.faults.switch("500:all,next=1", is_on=True)
    person.asks(PLAIN)
    spec = person.debug.with_faults(person.window.workspace_view.query_bar.spec())
    assert spec.faults == ("500:all,next=1",)


def test_fault_when_its_name_fits_nothing_then_the_list_says_so(person: Person) -> None:
    person.debug.faults.put('500:api="No such API"')
    person.debug.faults.put("500:toolkit=Geocoding")
    panel = person.window.workspace_view.docks.panel("rules").faults
    person.waits(lambda: "fits nothing here" in panel.model.index(0, 1).data())
    assert panel.model.index(1, 1).data() == "Toolkit Geocoding"


def test_breakpoint_when_its_name_fits_nothing_then_the_list_says_so(person: Person) -> None:
    person.debug.breakpoints.put('api="No such API"')
    person.debug.breakpoints.put("toolkit=Geocoding")
    panel = person.window.workspace_view.docks.panel("rules").breakpoints
    person.waits(lambda: "fits nothing here" in panel.model.index(0, 0).data())
    assert "fits nothing" not in panel.model.index(1, 0).data()


def test_selection_menu_when_one_toolkit_is_chosen_then_offers_to_let_it_fail(
    person: Person,
) -> None:
    assert not selection_fault_entries(person.context, None)
    toolkit = person.context.catalogue.toolkits[0]
    person.context.selection.select_toolkit(toolkit.id)
    _, following, _ = selection_fault_entries(person.context, None)
    following.entries(person.context)[6].run(person.context)
    assert [r.text for r in person.debug.faults.items] == [f'500:toolkit="{toolkit.name}",once']
    person.context.selection.select_apis(person.context.catalogue.rowids[:1])
    assert len(selection_fault_entries(person.context, None)) == 3


def test_node_menu_when_asked_then_breaks_and_fails(person: Person) -> None:
    person.asks(PLAIN)
    person.does("run.start")
    person.waits_for_end()
    view = person.context.run_view
    step = next(node for node in view.nodes.values() if node.kind == "step")
    menu = person.window.workspace_view.docks.panel("run_tree").menu(step.path)
    texts = [action.text() for action in menu.actions() if action.text()]
    assert texts[:3] == ["Show on the map  (Return)", "Break here  (F9)", "Run to here  (Ctrl+F10)"]
    assert "Make its next call fail" in texts
    *_, fail_all = node_debug_entries(person.context, step.path)
    kinds = fail_all.entries(person.context)
    assert len(kinds) == 12
    kinds[0].run(person.context)
    (text,) = person.debug.faults.active
    assert text == f'timeout:toolkit="{step.data["toolkit_name"]}"'


def test_hold_when_somebody_writes_elsewhere_then_the_layout_stays(person: Person, qtbot) -> None:
    field = QLineEdit(person.window)
    field.show()
    person.asks(PLAIN)
    person.debug.breakpoints.put("at=before_call")
    person.context.run_view.start(person.window.workspace_view.query_bar.spec())
    person.window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    person.waits_for_hold()
    assert person.window.current_layout() == "curate"
    assert person.window.workspace_view.step_bar.isVisible()
    person.does("run.stop")
    person.waits_for_end()


def test_hold_when_another_run_is_looked_at_then_the_held_one_is_shown(person: Person) -> None:
    view = person.context.run_view
    person.asks(PLAIN)
    person.does("run.start")
    person.waits_for_end()
    first = view.run
    assert first is not None
    person.debug.breakpoints.put("at=before_question")
    person.does("run.start")
    person.waits_for_hold()
    person.waits(lambda: view.live_run is not None and view.run == view.live_run)
    view.show_run(first)
    person.waits(lambda: view.run == first)
    person.does("debug.continue")
    person.waits(lambda: view.run != first and view.is_run_live)
    assert person.debug.is_paused
    person.does("run.stop")
    person.waits_for_end()


def test_hold_one_when_chosen_then_the_run_knows(person: Person) -> None:
    person.debug.breakpoints.put("at=before_call")
    person.asks(
        "Tell me the weather forecast for Chicago on 2026-11-21, convert 250 EUR to the currency"
        " USD, and give me the definition of the word serendipity."
    )
    person.debug.set_hold("one")
    person.does("run.start")
    person.waits(lambda: len(person.debug.held) > 1)
    first, second = person.debug.held[:2]
    person.debug.look_at(second)
    assert person.debug.current is second
    assert "branches held" in person.window.workspace_view.step_bar.branches.text()
    person.window.workspace_view.step_bar._fill_menu()
    assert len(person.window.workspace_view.step_bar._menu.actions()) >= 5
    view = person.context.run_view
    person.waits(lambda: all(above(h.stop.path) in view.nodes for h in (first, second)))
    # The window selects what is looked at a turn later; until then the first is still selected.
    person.waits(lambda: view.node == above(second.stop.path))
    view.select_node(above(first.stop.path))
    assert person.debug.current is first
    view.select_node(above(second.stop.path))
    assert person.debug.current is second
    person.does("debug.continue")
    person.waits(lambda: all(item is not second for item in person.debug.held))
    assert any(item is first for item in person.debug.held)
    person.does("run.stop")
    person.waits_for_end()


def test_breakpoint_form_when_filled_then_checked_while_it_is_written(person: Person) -> None:
    dialog = BreakpointDialog(person.context, person.window)
    dialog.condition.setText("error ==")
    assert "cannot be read" in dialog.problem
    assert not dialog._save.isEnabled()
    dialog.condition.setText('error == "timeout"')
    assert dialog.problem == ""
    dialog.event_choice.setCurrentIndex(dialog.event_choice.findData("failure=always"))
    dialog.api.setText("Weather*")
    dialog.hits.setValue(2)
    dialog.accept()
    text = "api=Weather*,failure=always,if='error == \"timeout\"',hits=2"
    assert [item.text for item in person.debug.breakpoints.items] == [text]
    again = BreakpointDialog(person.context, person.window, text)
    assert again.text == text
    again.log.setText("{title} failed")
    again.accept()
    assert [item.text for item in person.debug.breakpoints.items] == [
        f'{text},log="{{title}} failed"'
    ]


def test_breakpoint_form_when_it_can_never_stop_then_says_so_and_keeps_its_size(
    person: Person,
) -> None:
    dialog = BreakpointDialog(person.context, person.window)
    dialog.show()
    person.waits(lambda: dialog._fitting.is_idle)
    height = dialog._save.y()
    dialog.api.setText("ZZZ*")
    person.waits(lambda: dialog.preview.endswith(" Note: No API here is called ZZZ*."))
    dialog.api.clear()
    dialog.condition.setText('error == "timeout" or title == "value"')
    assert dialog.preview.endswith("Note: error is not known yet at this place.")
    dialog.log.setText("{price}")
    assert dialog.problem.startswith("A log point knows no field price")
    assert "Write it like" not in dialog.problem
    person.waits(lambda: dialog._fitting.is_idle)
    assert dialog._save.y() == height


def test_fault_form_when_filled_then_says_what_will_happen(person: Person) -> None:
    dialog = FaultDialog(person.context, person.window)
    dialog.target.setCurrentIndex(dialog.target.findData("toolkit"))
    assert dialog.problem == "Name the API or toolkit."
    dialog.name.setText("Fuel prices")
    dialog.kind.setCurrentIndex(dialog.kind.findData("429"))
    dialog.often.setCurrentIndex(dialog.often.findData("every"))
    dialog.number_of.setValue(3)
    dialog.seconds.setValue(5)
    assert dialog._preview.text() == (
        "429 too many requests (Retry-After 5.0 s): every third call of the toolkit Fuel prices."
    )
    dialog.accept()
    text = '429:toolkit="Fuel prices",every=3,after=5'
    assert person.debug.faults.items == (SavedRule(text=text),)
    assert FaultDialog(person.context, person.window, text).text == text


def test_lists_when_used_by_keys_then_switch_change_and_remove(person: Person, qtbot) -> None:
    person.debug.breakpoints.put("at=before_call")
    person.debug.breakpoints.put("failure=fatal")
    person.does("debug.breakpoints")
    panel = person.window.workspace_view.docks.panel("rules").breakpoints
    person.window.activateWindow()
    view = panel.view
    view.setCurrentIndex(panel.model.index(0, 0))
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert [item.is_on for item in person.debug.breakpoints.items] == [False, True]
    panel.all.click()
    assert not any(item.is_on for item in person.debug.breakpoints.items)
    panel.all.click()
    assert all(item.is_on for item in person.debug.breakpoints.items)
    view.setCurrentIndex(panel.model.index(1, 0))
    panel.remove_selected()
    assert [item.text for item in person.debug.breakpoints.items] == ["at=before_call"]


def test_saved_faults_when_one_cannot_be_read_then_the_workspace_opens_and_says_so(
    person: Person, demo: Path
) -> None:
    workspace = person.context.workspace
    assert workspace is not None
    set_setting(workspace, "fault_plan", {"frozen:all": True, "500:all": True})
    set_setting(workspace, "breakpoints", [{"text": "planet=mars", "on": True, "hits": 0}])
    open_later(person.context, demo)
    person.waits(lambda: person.context.workspace not in (None, workspace))
    person.waits(lambda: [r.text for r in person.debug.faults.items] == ["500:all"])
    person.waits(lambda: "There is no fault" in person.window.banner.text)
    assert person.context.workspace is not None
    assert not person.debug.breakpoints.items


def test_breakpoints_and_faults_when_the_workspace_is_opened_again_then_there(
    person: Person, demo: Path
) -> None:
    person.debug.breakpoints.put("at=before_call")
    person.debug.faults.put("500:all")
    person.debug.faults.switch("500:all", is_on=False)
    person.does("file.close")
    person.waits(lambda: person.context.workspace is None)
    open_later(person.context, demo)
    person.waits(lambda: person.context.workspace is not None)
    assert [item.text for item in person.debug.breakpoints.items] == ["at=before_call"]
    assert person.debug.faults.items == (SavedRule(text="500:all", is_on=False),)


def test_map_when_a_run_starts_then_comes_to_its_plan_once(person: Person) -> None:
    panel = person.window.workspace_view.docks.panel("map")
    assert isinstance(panel, MapPanel)
    panel.canvas.camera.look_at(500, 500)
    person.asks(PLAIN)
    person.does("run.start")
    person.waits_for_end()

    def is_seen() -> bool:
        layer = panel.canvas.plan.layer
        stops = [stop for trail in layer.trails for stop in trail.stops]
        inside = QRectF(panel.canvas.rect())
        return bool(stops) and all(inside.contains(layer.place_of(stop)) for stop in stops)

    person.waits(is_seen)
    panel.canvas.camera.look_at(500, 500)
    person.context.layout_changed.emit()
    assert not is_seen()
