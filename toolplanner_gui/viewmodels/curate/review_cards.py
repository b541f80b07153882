"""The card of the question that is looked at, and the next one read ahead.

Cards are read on threads; reading ahead lets the next question come up with all its evidence at
once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from toolplanner_core.errors import NotFound
from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.newest import Newest
from toolplanner_gui.bridge.tasks import Tasks

if TYPE_CHECKING:
    from toolplanner_core.curation.questions.kinds.candidate import Candidate
    from toolplanner_core.curation.questions.queue.card import Card
    from toolplanner_core.curation.questions.queue.queue import ReviewQueue


class Cards(QObject):
    """Holds the card that is shown. GUI thread.

    Signals:
        changed: the card is there, or has other figures.
    """

    changed = Signal()

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._newest = Newest(tasks, self)
        self.card: Card | None = None
        """The card of the question that is looked at; None while it is read."""
        self._ahead: Card | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no card is being read."""
        return self._newest.is_idle

    def forget(self) -> None:
        """No question is looked at."""
        self._newest.forget()
        self.card = self._ahead = None

    def expect(self, key: str | None) -> None:
        """Another question is looked at; its card is there already if it was read ahead."""
        self._newest.forget()
        ahead, self._ahead = self._ahead, None
        self.card = ahead if ahead is not None and ahead.key == key else None
        self.changed.emit()

    def read(
        self,
        workspace: Workspace,
        queue: ReviewQueue,
        candidate: Candidate,
        following: Candidate | None,
    ) -> None:
        """Read the card of a question with the figures of the moment, then the following one."""

        def read(one: Candidate) -> Card | None:
            from toolplanner_core.curation.questions.queue.card import read_card

            try:
                return read_card(workspace, queue, one)
            except NotFound:
                # A toolkit of it has ended since; the list that follows has other questions.
                return None

        def show(card: Card | None) -> None:
            if card is not None:
                self.card = card
                self.changed.emit()
                if (ahead := following) is not None:
                    self._newest.ask(lambda: read(ahead), self._keep)

        self._newest.ask(lambda: read(candidate), show)

    def _keep(self, card: Card | None) -> None:
        self._ahead = card
