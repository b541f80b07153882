"""The tour: five steps through the demo, each in its place of the window.

It comes by itself when a person opens the demo for the first time, and never again when it was
skipped or seen to its end; Help offers it.
"""

from typing import NamedTuple

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from toolplanner_gui import dialog_commands, panel_commands
from toolplanner_gui.actions.action import Run, to_panel
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import EDGE
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_WIDTH = 340
_ABOVE_STATUS = 64


class _Stop(NamedTuple):
    title: str
    text: str
    go: Run


_STOPS = (
    _Stop(
        "Toolkits",
        "Each toolkit is a group of APIs that can stand in for one another. Search here by what"
        " you want to do; the column Fit says how alike its APIs are.",
        to_panel(panel_commands.find_toolkits),
    ),
    _Stop(
        "The map",
        "Every point is an API, near to others of the same meaning. Click one to see what is"
        " known about it; drag with R or L to select several, then merge, split or move them.",
        to_panel(panel_commands.focus_map),
    ),
    _Stop(
        "A query",
        "Write a query here, or choose an example with the bulb. The button beside it says how it"
        " is run: strategy, model and who answers the calls. The next step runs an example.",
        lambda context: context.shell.focus_query(),
    ),
    _Stop(
        "The run",
        "The tree shows the plan, each call and what came of it. Where an API failed, the next of"
        " its toolkit took over: a fallback. F10 steps through a run, F9 sets a breakpoint.",
        lambda context: context.shell.run_example(),
    ),
    _Stop(
        "The review",
        "What the program is not sure of it asks, one question at a time, with its evidence. Every"
        " answer can be undone. All words are explained in Help > Concepts.",
        to_panel(panel_commands.focus_review),
    ),
)


class TourDialog(Dialog):
    """One step after the other; Escape skips the rest."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Tour")
        self.setFixedWidth(_WIDTH)
        self._at = -1
        self.title = self.paragraph(role="heading")
        self.text = self.paragraph()
        self.next_button = push_button("Next", self.go_on, role="primary")
        self.skip_button = self.add_buttons(self.next_button, "Skip the tour")
        self.finished.connect(self._on_finished)
        self.go_on()
        corner = QPoint(parent.width() - _WIDTH - EDGE, parent.height() - self.sizeHint().height())
        self.move(parent.mapToGlobal(corner - QPoint(0, _ABOVE_STATUS)))

    def go_on(self) -> None:
        """Go to the next step, or end after the last."""
        if self._at == len(_STOPS) - 1:
            self.accept()  # also once more, by a key that is struck while it goes away
            return
        self._at += 1
        stop = _STOPS[self._at]
        self.title.setText(f"{self._at + 1} of {len(_STOPS)}: {stop.title}")
        self.text.setText(stop.text)
        is_last = self._at == len(_STOPS) - 1
        self.next_button.setText("Done" if is_last else "Next")
        self.skip_button.setVisible(not is_last)
        stop.go(self.context)
        self.next_button.setFocus()

    def _on_finished(self) -> None:
        self.context.choices.has_seen_tour = True


PLUGIN = DialogPlugin.of(dialog_commands.tour, TourDialog, is_beside=True)
