"""A node of the tree while its work goes on: counters for what is below it, and how it will end."""

import asyncio
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import (
    ROOT,
    NodePath,
    is_within,
    join,
    nearest_known,
    path_and_ancestors,
)
from toolplanner_core.domain.nodes import RUN, NodeKind, NodeState
from toolplanner_core.domain.stop_points import StopPoint
from toolplanner_core.errors import Cancelled
from toolplanner_core.runs.debugging.stops import Stop
from toolplanner_core.strategies.interface.scope import ModelGaveUp
from toolplanner_core.workspace.connections import fault_words, workspace_fault


@dataclass(kw_only=True, eq=False)
class NodeFrame:
    """One open node; strategies see it as `OpenNode`.

    Attributes:
        seq: the event that opened it.
        seed: of its randomness.
        toolkit: name of the toolkit that it is about, or that a node above is; "" for none.
        goal: what it is to bring about, or a node above is, in a plan's words; "" for none.
        on_told: writes down what more is known of the node.
    """

    path: NodePath
    seq: int
    seed: str
    on_told: Callable[[NodePath, Mapping[str, Any]], object]
    kind: NodeKind = RUN
    title: str = ""
    toolkit: str = ""
    goal: str = ""
    state: NodeState = NodeState.OK
    reason: str = ""
    error: ErrorClass | None = None
    came_to: Mapping[str, Any] = field(default_factory=dict[str, Any])
    counts: Counter[str] = field(default_factory=Counter[str])

    @cached_property
    def random(self) -> Random:
        """Its own; most nodes never ask for it, and one takes 2.5 KB."""
        return Random(self.seed)

    def next_child(self, kind: str) -> NodePath:
        """Path of the next call or question below this node."""
        self.counts[kind] += 1
        return join(self.path, kind, self.counts[kind])

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

    def stop(
        self, point: StopPoint, path: NodePath, title: str, cause: int | None, **what: Any
    ) -> Stop:
        """A place in this node at which the run may be held."""
        return Stop(
            point=point,
            path=path,
            node=self.path,
            is_unit=self.kind.is_unit,
            title=title,
            cause=cause,
            toolkit=self.toolkit,
            **what,
        )

    def tell(self, **data: Any) -> None:
        """Add to what people see of it."""
        self.on_told(self.path, data)


class NodeFrames:
    """The nodes of one run that were opened.

    Which one is open is a context variable, so parallel branches each have their own.

    Args:
        seed: of all randomness in the run.
        on_told: as of `NodeFrame`.
    """

    def __init__(self, seed: int, on_told: Callable[[NodePath, Mapping[str, Any]], object]) -> None:
        self._seed, self._on_told = seed, on_told
        self._by_path: dict[NodePath, NodeFrame] = {}
        self._root = self.make(ROOT, seq=1)
        self._open: ContextVar[NodeFrame] = ContextVar("open node")

    @property
    def here(self) -> NodeFrame:
        """The open node, the run itself before any was opened."""
        return self._open.get(self._root)

    def make(
        self,
        path: NodePath,
        *,
        seq: int,
        kind: NodeKind = RUN,
        title: str = "",
        toolkit: str = "",
        goal: str = "",
    ) -> NodeFrame:
        """Another node; `seq` is the event that opens it."""
        self._by_path[path] = NodeFrame(
            path=path,
            seq=seq,
            seed=f"{self._seed}:{path}",
            on_told=self._on_told,
            kind=kind,
            title=title,
            toolkit=toolkit,
            goal=goal,
        )
        return self._by_path[path]

    def of(self, path: NodePath) -> NodeFrame:
        """The node that a place belongs to: that of a call or question is the one around it."""
        return self._by_path[nearest_known(path, self._by_path)]

    def forget(self, path: NodePath) -> None:
        """Drop a node that was left, and all below it."""
        for below in [each for each in self._by_path if is_within(each, path)]:
            del self._by_path[below]

    def random_at(self, path: NodePath) -> Random:
        """Seeded randomness of a place in the tree, for the jitter of waits."""
        return Random(f"{self._seed}:{path}:waits")

    def around(self, path: NodePath) -> Iterator[NodeFrame]:
        """The nodes around a call or question, from the inside out, without the run."""
        for place in path_and_ancestors(path):
            frame = self._by_path.get(NodePath(place))
            if frame is not None and frame is not self._root:
                yield frame

    @contextmanager
    def inside(self, frame: NodeFrame) -> Generator[None]:
        """A node is the open one."""
        token = self._open.set(frame)
        try:
            yield
        finally:
            self._open.reset(token)


@contextmanager
def ends_of(frame: NodeFrame) -> Generator[None]:
    """Say how a node ends that is left by an exception; the exception goes on."""
    try:
        yield
    except asyncio.CancelledError:
        frame.end(NodeState.CANCELLED, "the run was stopped", error=ErrorClass.CANCELLED)
        raise
    except Cancelled as cancelled:
        frame.end(NodeState.CANCELLED, cancelled.what, error=ErrorClass.CANCELLED)
        raise
    except ModelGaveUp as gave_up:
        frame.end(NodeState.FAILED, gave_up.message, error=gave_up.error)
        raise
    except BaseException as error:
        if (fault := workspace_fault(error)) is not None:
            frame.end(NodeState.FAILED, fault_words(fault), error=ErrorClass.WORKSPACE_FAULT)
            raise
        frame.end(NodeState.FAILED, f"the strategy broke: {type(error).__name__}: {error}")
        raise
