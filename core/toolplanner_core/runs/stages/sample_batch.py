"""What samples of one prompt share while they are asked for: who asks for all, and what came."""

import asyncio
from collections import deque
from collections.abc import Iterable

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.llm.model import Reply
from toolplanner_core.prompts.conversation import Message


class SampleBatch:
    """Samples that are asked for at the same time.

    Attributes:
        lock: held by the one that asks for all.
        is_apart: that failed, and each is asked for by itself.

    Args:
        paths: of those that have no reply yet.
    """

    def __init__(self, paths: Iterable[NodePath]) -> None:
        self.lock = asyncio.Lock()
        self.is_apart = False
        self._waiting = set(paths)
        self._replies: deque[Reply] = deque()
        self._messages: tuple[Message, ...] = ()

    def end(self, path: NodePath) -> None:
        """A sample needs no reply any more."""
        self._waiting.discard(path)

    def left_with(self, path: NodePath) -> int:
        """How many have no reply yet, this one among them."""
        return len(self._waiting | {path})

    def take(self, path: NodePath, messages: tuple[Message, ...]) -> Reply | None:
        """A reply that came beside another one's to these messages; None if none is left."""
        if not self._replies or messages != self._messages:
            return None
        self.end(path)
        return self._replies.popleft()

    def keep(self, path: NodePath, messages: tuple[Message, ...], reply: Reply) -> None:
        """Keep what came beside the reply to one of them."""
        self.end(path)
        self._messages = messages
        self._replies.extend(reply.others)
