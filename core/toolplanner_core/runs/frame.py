"""A node of the tree while its work goes on: counters for what is below it, and how it will end."""

import asyncio
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from random import Random
from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.node_paths import join
from toolplanner_core.domain.nodes import RUN, NodeKind, NodeState
from toolplanner_core.strategies.scope import ModelGaveUp


class Frame:
    """One open node; strategies see it as `OpenNode`.

    Args:
        on_told: writes down what more is known of the node.

    Attributes:
        seq: the event that opened it.
        toolkit: name of the toolkit that it is about, or that a node above is; "" for none.
    """

    def __init__(
        self,
        path: NodePath,
        *,
        seq: int,
        seed: int,
        kind: NodeKind = RUN,
        title: str = "",
        toolkit: str = "",
        on_told: Callable[[NodePath, Mapping[str, Any]], None] | None = None,
    ) -> None:
        self.path = path
        self.seq = seq
        self.kind = kind
        self.title = title
        self.toolkit = toolkit
        self.random = Random(f"{seed}:{path}")
        self.state = NodeState.OK
        self.reason = ""
        self.error: ErrorClass | None = None
        self.came_to: Mapping[str, Any] = {}
        self._on_told = on_told
        self._counts: Counter[str] = Counter()

    def next_child(self, kind: str) -> NodePath:
        """Path of the next call or question below this node."""
        self._counts[kind] += 1
        return join(self.path, kind, self._counts[kind])

    def end(
        self,
        state: NodeState,
        reason: str = "",
        *,
        error: ErrorClass | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Say how the node ends; written when it is left."""
        self.state, self.reason, self.error = state, reason, error
        self.came_to = dict(data or {})

    def tell(self, **data: Any) -> None:
        """Add to what people see of it."""
        if self._on_told is not None:
            self._on_told(self.path, data)


@contextmanager
def ends_of(frame: Frame) -> Generator[None]:
    """Say how a node ends that is left by an exception; the exception goes on."""
    try:
        yield
    except asyncio.CancelledError:
        frame.end(NodeState.CANCELLED, "the run was stopped", error=ErrorClass.CANCELLED)
        raise
    except ModelGaveUp as gave_up:
        frame.end(NodeState.FAILED, gave_up.message, error=gave_up.error)
        raise
    except BaseException as error:
        frame.end(NodeState.FAILED, f"the strategy broke: {type(error).__name__}: {error}")
        raise
