"""What a person presses at a stop: do what is chosen and go on, or do it and stop again."""

from collections.abc import Callable

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.runs.telling.stop_choices import Offer
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.boxes import row_of
from toolplanner_gui.widgets.buttons import push_button


class StopButtons(QWidget):
    """Half the row each, whatever their words are: nothing moves under the mouse."""

    def __init__(self, send: Callable[[], None], send_and_step: Callable[[], None]) -> None:
        super().__init__()
        self.send: QPushButton = push_button("Send", send, role="primary")
        self.step: QPushButton = push_button("Step", send_and_step)
        self._words: dict[QPushButton, tuple[str, ...]] = {}
        """Of each button, from the longest to the shortest."""
        for button in (self.step, self.send):
            policy = button.sizePolicy()
            policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
            policy.setRetainSizeWhenHidden(True)
            button.setSizePolicy(policy)
        row_of((self.step, 1), (self.send, 1), of=self, gap=GAP)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Say it in fewer words where they would be cut; the tooltips say all."""
        for button, words in self._words.items():
            for said in words:
                button.setText(said)
                if button.sizeHint().width() <= button.width():
                    break

    def show_offer(self, offer: Offer) -> None:
        """Say what each does with what is chosen."""
        self._words[self.send] = (offer.verb, offer.word)
        self.send.setToolTip(f"{offer.verb} and continue (Ctrl+Return)")
        is_plain = offer.choice is None
        stepped = ("Step",) if is_plain else (f"{offer.word} and step", "… and step")
        self._words[self.step] = stepped
        self._fit()
        self.step.setToolTip(f"{offer.verb} and stop again (Ctrl+Shift+Return)")
        self.step.setAccessibleName(f"{offer.verb} and stop again")
        self.step.setVisible(offer.choice is not Choice.GIVE_UP)

    def show_changes(self, offer: Offer, *, is_same: bool) -> None:
        """Say whether what would be sent is what the run would have sent."""
        changed = (f"{offer.word} with changes", f"{offer.word} edited")
        self._words[self.send] = (offer.verb, offer.word) if is_same else changed
        self._fit()
