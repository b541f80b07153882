"""The story of the run that is looked at, found once for what has happened so far."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.telling.story import story_of
from toolplanner_core.runs.tree.node import Node
from toolplanner_gui.bridge.newest import Newest

AT_ONCE = 2_000
"""Nodes of a stored run whose story is found in the window's thread, in 5 ms."""


class KeptStory(QObject):
    """Goes through all nodes once, however often the head is shown; in a thread if they are many.

    Args:
        newest: finds the story of a long run in a thread.

    Signals:
        told: the story is another one, without an event.
    """

    told = Signal()

    def __init__(self, newest: Newest, parent: QObject) -> None:
        super().__init__(parent)
        self._newest = newest
        self._nodes: Mapping[NodePath, Node] = {}
        self._seq = -1
        self._text = ""

    def of(self, nodes: Mapping[NodePath, Node], seq: int, *, is_live: bool) -> str:
        """The story as far as it is known now; `told` follows if it is not.

        Args:
            nodes: of the run.
            seq: number of its last event.
            is_live: whether the nodes still change, so that no other thread may read them.
        """
        if nodes is not self._nodes or seq != self._seq:
            self._nodes, self._seq = nodes, seq
            self._newest.forget()
            if is_live or len(nodes) <= AT_ONCE:
                self._text = story_of(nodes)
            else:
                self._text = ""
                self._newest.ask(lambda: story_of(nodes), self._take)
        return self._text

    def _take(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.told.emit()
