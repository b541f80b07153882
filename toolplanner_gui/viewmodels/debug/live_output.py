"""What models are saying right now in the run that goes on, and how far calls have come, until the
log has their replies.

One per `RunView`. Speech comes from the engine's thread ten times a second and counts as what was
said so far, so only the newest of each question is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from toolplanner_core.domain.ids import NodePath, parent_of
from toolplanner_core.domain.nodes import NodeState
from toolplanner_gui.bridge.gui_thread import BatchInbox, GuiThreadCalls

if TYPE_CHECKING:
    from toolplanner_core.runs.stages.live_replies import LiveReply
    from toolplanner_core.runs.tree.node import Node


class LiveOutput(QObject):
    """Speech by question. GUI thread, but for `put`."""

    grown = Signal()
    """More was said somewhere."""

    def __init__(self, calls: GuiThreadCalls, parent: QObject) -> None:
        super().__init__(parent)
        self._inbox: BatchInbox[LiveReply] = BatchInbox(calls, self._on_speech, self)
        self._ended: set[NodePath] = set()
        self.replies: dict[NodePath, LiveReply] = {}
        """Of all questions whose model speaks, and calls whose server tells."""

    def put(self, said: Sequence[LiveReply]) -> None:
        """Take what was said. Any thread."""
        self._inbox.put(said)

    def at(self, path: NodePath) -> list[LiveReply]:
        """What is being said at a node, or at its own questions."""
        return [reply for p, reply in self.replies.items() if path in (p, parent_of(p))]

    def progress_at(self, path: NodePath) -> str:
        """How far the call at a node has come, "" if its server tells nothing."""
        said = self.replies.get(path)
        return said.progress if said is not None else ""

    def follow(self, nodes: Mapping[NodePath, Node], changed: Iterable[NodePath]) -> None:
        """Take over how questions and calls stand: what the log has needs no live words."""
        for path in changed:
            node = nodes.get(path)
            if node is None or not node.is_leaf:
                continue
            if node.state is NodeState.RUNNING:
                self._ended.discard(path)
            else:
                self._ended.add(path)
                self.replies.pop(path, None)

    def clear(self) -> None:
        """Another run goes on, or none."""
        self._inbox.flush()
        self._ended.clear()
        self.replies.clear()

    def _on_speech(self, said: list[LiveReply]) -> None:
        # What piled up behind a busy window may be older than what the log has said since.
        fresh = {each.path: each for each in said if each.path not in self._ended}
        if fresh:
            self.replies.update(fresh)
            self.grown.emit()
