"""What a person has allowed or refused for good, and can take back; a page of the providers dialog.

It belongs to the person, on this machine: no workspace brings or keeps any of it.
"""

from PySide6.QtWidgets import QWidget

from toolplanner_core.providers.leave import standing_leave
from toolplanner_core.words.wording import counted
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.boxes import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.windows.name_list import NameList
from toolplanner_gui.windows.route_row import Attempt

_WHY = (
    "Calls that may change something ask first, and so do programs and servers before they are"
    " started or reached. What you answered for good stands here. It is yours, on this machine;"
    " no workspace brings or keeps any of it."
)
_NOTHING = "Nothing yet: you are asked each time."


class LeavePage(QWidget):
    """The list, and the button that takes back what is selected."""

    def __init__(self, attempt: Attempt) -> None:
        super().__init__()
        self._attempt = attempt
        self.list = NameList("Standing leave", ("What", "For", "Since"), {1: 250, 2: 110})
        self.nothing = text_label(_NOTHING, role="dim")
        self.revoke_button = push_button("Take back", self._revoke)
        self.revoke_button.setAutoDefault(False)
        column_of(
            text_label(_WHY, role="dim", is_wrapped=True),
            (self.list, 1),
            row_of((self.nothing, 1), self.revoke_button, gap=SPACE),
            of=self,
            margins=(GAP, GAP, GAP, GAP),
            gap=GAP,
        )
        self.list.selectionModel().selectionChanged.connect(self._show_whether)

    def refresh(self) -> None:
        """Read the list anew.

        Raises:
            BadInput: the file of rules cannot be read.
        """
        found = standing_leave()
        self.list.fill([((each.what, each.about, each.since or "–"), each) for each in found])
        self.nothing.setText(_NOTHING if not found else counted(len(found), "entry", "entries"))
        self._show_whether()

    def _show_whether(self) -> None:
        self.revoke_button.setEnabled(bool(self.list.selected))

    def _revoke(self) -> None:
        chosen = self.list.selected

        def work() -> str:
            for leave in chosen:
                leave.take_back()
            return f"Taken back: {'; '.join(leave.what for leave in chosen)}. It is asked again."

        self._attempt(work)
