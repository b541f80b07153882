"""Asked before a merge that would take far more than was selected: what is meant?

APIs that a search found lie in many toolkits, and a merge takes whole toolkits.
"""

from collections.abc import Callable

from PySide6.QtWidgets import QPushButton, QWidget

from toolplanner_core.curation.edits.move import Move
from toolplanner_core.words.wording import count, counted, one_line
from toolplanner_gui.actions.curate import stage
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_WIDTH = 520


class MergeReachDialog(Dialog):
    """Says how far the merge reaches; offers what takes the selected APIs alone."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Merge")
        self.setMinimumWidth(_WIDTH)
        self._chosen = chosen = context.chosen
        apis, toolkits = count(len(chosen.rowids)), counted(len(chosen.shares), "toolkit")
        self._most, n_most = chosen.shares[0]
        self.paragraph(
            f"{apis} selected APIs lie in {toolkits} of {count(chosen.reach)} APIs", role="heading"
        )
        self.paragraph(
            "A merge takes whole toolkits: all of those APIs would come into one.", role="dim"
        )
        name = one_line(self._most.name, 50).replace("&", "&&")
        self.new_button = self._offer(
            f"New toolkit of the {apis} APIs …",
            lambda: context.shell.open("new_toolkit"),
            role="primary",
        )
        self.move_button = self._offer(
            f"Move them to “{name}”, which has most of them: {count(n_most)}", self._move
        )
        self.stage_button = self._offer(
            f"Merge the {toolkits} with all {count(chosen.reach)} APIs …",
            lambda: stage(context, is_whole=True),
        )
        self.add_buttons(None)

    def _offer(self, title: str, run: Callable[[], object], *, role: str = "") -> QPushButton:
        def take() -> None:
            self.accept()
            run()

        button = push_button(title, take, role=role)
        button.setDefault(role == "primary")
        self.add(button)
        return button

    def _move(self) -> None:
        edit = Move(rowids=self._chosen.ids, to=self._most.id)
        self.context.curation.do(edit, origin=self._chosen.made)


def _about_chosen(context: AppContext, parent: QWidget) -> MergeReachDialog | None:
    return MergeReachDialog(context, parent) if context.chosen.shares else None


PLUGIN = DialogPlugin(id="merge_reach", make=_about_chosen)
