"""The card of the question that is looked at, and the next one read ahead.

Cards are read on threads; reading ahead lets the next question come up with all its evidence at
once.
"""

from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.questions.kinds.candidate import Candidate
from toolplanner_core.curation.questions.queue.card import Card, read_card
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.errors import NotFound
from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.tasks import Tasks


class Cards(QObject):
    """Holds the card that is shown. GUI thread.

    Signals:
        changed: the card is there, or has other figures.
    """

    changed = Signal()

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._key: str | None = None
        self.card: Card | None = None
        """The card of the question that is looked at; None while it is read."""
        self._ahead: Card | None = None
        self._asked = 0
        self._n_reading = 0

    @property
    def is_idle(self) -> bool:
        """Whether no card is being read."""
        return self._n_reading == 0

    def forget(self) -> None:
        """No question is looked at."""
        self._key, self.card, self._ahead = None, None, None
        self._asked += 1

    def expect(self, key: str | None) -> None:
        """Another question is looked at; its card is there already if it was read ahead."""
        self._asked += 1
        ahead, self._ahead = self._ahead, None
        self._key = key
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
        self._asked += 1
        self._n_reading += 1
        task = self._tasks.spawn(
            self._read(workspace, queue, candidate, following, self._asked), owner=self
        )
        task.add_done_callback(lambda _task: self._on_done())

    def _on_done(self) -> None:
        self._n_reading -= 1

    async def _read(
        self,
        workspace: Workspace,
        queue: ReviewQueue,
        candidate: Candidate,
        following: Candidate | None,
        number: int,
    ) -> None:
        try:
            card = await self._tasks.in_thread(lambda: read_card(workspace, queue, candidate))
            if number != self._asked:
                return
            self.card = card
            self.changed.emit()
            if following is not None:
                ahead = await self._tasks.in_thread(lambda: read_card(workspace, queue, following))
                if number == self._asked:
                    self._ahead = ahead
        except NotFound:
            # A toolkit of it has ended since; the list that follows has other questions.
            return
