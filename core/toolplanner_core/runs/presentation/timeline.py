"""Questions and calls of a run as bars on lanes, for the timeline panel.

Bars point at the nodes of the core's fold, so a bar that ends needs no update here; a batch of
events costs what is new. What is drawn is asked for by stretch of time (`strips`): bars too narrow
to be seen one by one are merged, so a frame costs the width of the window, not the length of the
run.

The axis is marked at round moments (`ticks`)."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.presentation.states import NODE_LOOKS, Look, state_word
from toolplanner_core.runs.tree.failures import is_unsent
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.words.formatting import duration

_NS = 1_000_000_000
_LONG_STEPS_S = (10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400)


class Tick(NamedTuple):
    """A moment on the axis and its label."""

    at_ns: float
    label: str


def ticks(left_ns: float, ns_per_px: float, width_px: int, *, apart_px: int = 90) -> list[Tick]:
    """Round moments in view, at least `apart_px` apart."""
    step_ns = _step(ns_per_px * apart_px)
    first = max(0, int(left_ns // step_ns))
    last = int((left_ns + ns_per_px * width_px) // step_ns)
    return [Tick(i * step_ns, _label(i * step_ns, step_ns)) for i in range(first, last + 1)]


def _step(least_ns: float) -> float:
    """The smallest round step that is not below `least_ns`."""
    size = 1.0
    while size < 10 * _NS:
        for digit in (1, 2, 5):
            if digit * size >= least_ns and digit * size < 10 * _NS:
                return digit * size
        size *= 10
    return next((s * _NS for s in _LONG_STEPS_S if s * _NS >= least_ns), _LONG_STEPS_S[-1]) * 1.0


def _label(at_ns: float, step_ns: float) -> str:
    if at_ns == 0:
        return "0"
    if step_ns < 1_000:
        return f"{at_ns / 1e6:.4f} ms"
    if step_ns < 1_000_000:
        return f"{at_ns / 1e6:.3f}".rstrip("0").rstrip(".") + " ms"
    if at_ns < _NS:
        return f"{at_ns / 1e6:.0f} ms"
    if at_ns < 60 * _NS:
        return f"{at_ns / _NS:.3f}".rstrip("0").rstrip(".") + " s"
    minutes, seconds = divmod(at_ns / _NS, 60)
    rest = f"{seconds:.3f}".rstrip("0").rstrip(".")
    if minutes < 60:
        return f"{minutes:.0f} min" + (f" {rest} s" if rest != "0" else "")
    hours, minutes = divmod(minutes, 60)
    return f"{hours:.0f} h" + (f" {minutes:.0f} min" if minutes else "")


NARROW_PX = 3.0
"""Bars below this width are merged with their neighbours."""

_RANKS = {
    token: rank
    for rank, token in enumerate(
        ("failed", "fell_back", "paused", "running", "replanned", "waiting", "ok")
    )
}
"""Colour tokens by how much they tell: the first one gives merged bars their colour."""


class Strip(NamedTuple):
    """Something drawn: one bar, or several merged ones.

    Attributes:
        begin_px, end_px: from the left of the plot.
        node: the bar's node; of merged ones that with the most telling state.
        look: how its state looks.
        n_bars: how many were merged.
    """

    begin_px: float
    end_px: float
    node: Node
    look: Look
    n_bars: int


class Lane:
    """Bars that do not overlap, by the time of their beginning."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.starts: list[int] = []
        self.nodes: list[Node] = []

    def is_free_for(self, node: Node) -> bool:
        """Whether nothing on this lane goes on when the node begins."""
        begin_ns = node.started_ns or 0
        position = bisect_right(self.starts, begin_ns)
        if position:
            end_ns = self.nodes[position - 1].ended_ns
            if end_ns is None or end_ns > begin_ns:
                return False
        if position == len(self.nodes):
            return True
        return node.ended_ns is not None and node.ended_ns <= self.starts[position]

    def holds_branch(self, branch: NodePath | None) -> bool:
        """Whether the last bar is of the same step."""
        return bool(self.nodes) and _branch(self.nodes[-1]) == branch

    def add(self, node: Node) -> None:
        """Add a bar."""
        begin_ns = node.started_ns or 0
        position = bisect_right(self.starts, begin_ns)
        self.starts.insert(position, begin_ns)
        self.nodes.insert(position, node)


class Timeline:
    """The lanes of a run: questions to models first, then calls, one lane per parallel branch."""

    def __init__(self) -> None:
        self._questions = [Lane("Model")]
        self._calls = [Lane("Calls")]
        self._known: dict[NodePath, Lane] = {}
        self._nodes: Mapping[NodePath, Node] = {}

    @property
    def lanes(self) -> list[Lane]:
        """From top to bottom."""
        return [*self._questions, *self._calls]

    @property
    def n_bars(self) -> int:
        """Number of bars."""
        return len(self._known)

    def set_nodes(self, nodes: Mapping[NodePath, Node]) -> None:
        """Show another run; the fold goes on changing this mapping."""
        self.__init__()
        self._nodes = nodes
        self.add(nodes)

    def add(self, paths: Iterable[NodePath]) -> None:
        """Add the bars of nodes that are new; others change by themselves."""
        new = [
            node
            for path in paths
            if path not in self._known
            and (node := self._nodes.get(path)) is not None
            and node.is_leaf
            and node.started_ns is not None
            and not is_unsent(node)  # as in the number of calls
        ]
        for node in sorted(new, key=lambda n: (n.started_ns or 0, n.opened_seq)):
            lane = self._lane_for(node)
            lane.add(node)
            self._known[node.path] = lane

    def lane_of(self, path: NodePath) -> int | None:
        """Position of the lane a bar stands on."""
        lane = self._known.get(path)
        return None if lane is None else self.lanes.index(lane)

    def node(self, path: NodePath) -> Node | None:
        """The node of a bar; None for nodes that have none."""
        return self._nodes.get(path) if path in self._known else None

    def last_ns(self) -> int:
        """The latest moment that is known, nanoseconds since the run began."""
        root = self._nodes.get(NodePath(""))
        latest = (root.ended_ns or 0) if root is not None else 0
        for lane in self.lanes:
            if lane.nodes:
                latest = max(latest, lane.nodes[-1].ended_ns or lane.starts[-1])
        return latest

    def first_below(self, path: NodePath) -> Node | None:
        """The first bar of a node or of what is below it."""
        if path in self._known:
            return self._nodes[path]
        below = f"{path}/"
        found = [self._nodes[p] for p in self._known if p.startswith(below)]
        return min(found, key=lambda n: n.started_ns or 0, default=None)

    def beside(self, path: NodePath, step: int) -> Node | None:
        """The bar that begins next after (step 1) or before (-1) another one, on any lane."""
        order = sorted(
            (self._nodes[p] for p in self._known), key=lambda n: (n.started_ns or 0, n.opened_seq)
        )
        at = next((i for i, node in enumerate(order) if node.path == path), None)
        if at is None:
            return order[0 if step > 0 else -1] if order else None
        return order[at + step] if 0 <= at + step < len(order) else None

    def nearest(self, lane: int, at_ns: float) -> Node | None:
        """The bar of a lane at a moment, or the nearest one."""
        shown = self.lanes[lane]
        position = bisect_right(shown.starts, at_ns)
        near = shown.nodes[max(0, position - 1) : position + 1]
        return min(near, key=lambda n: _distance(n, at_ns), default=None)

    def look(self, node: Node) -> Look:
        """How a bar looks: a failed call of an attempt that fell back looks like the attempt."""
        if node.state is NodeState.FAILED and node.parent is not None:
            above = self._nodes.get(node.parent)
            if (
                above is not None
                and node_kind(above.kind).is_try
                and above.state is NodeState.FELL_BACK
            ):
                return NODE_LOOKS[NodeState.FELL_BACK]
        return NODE_LOOKS[node.state]

    def strips(
        self, lane: Lane, *, left_ns: float, ns_per_px: float, width_px: int, now_ns: int
    ) -> list[Strip]:
        """What is drawn of a lane, from left to right.

        Args:
            left_ns: moment at the left of the plot.
            now_ns: where bars end that still run.
        """
        first = max(0, bisect_left(lane.starts, left_ns) - 1)
        last = bisect_right(lane.starts, left_ns + ns_per_px * width_px)
        drawn: list[Strip] = []
        # The merged bars so far; plain numbers, since this loop runs over every bar in view.
        begin_px = end_px = 0.0
        telling: Node | None = None
        look, rank, n_bars = NODE_LOOKS[NodeState.OK], 0, 0
        for node in lane.nodes[first:last]:
            left_px = (node.sent_ns - left_ns) / ns_per_px
            right_px = ((now_ns if node.ended_ns is None else node.ended_ns) - left_ns) / ns_per_px
            if right_px < 0:
                continue
            is_narrow = right_px - left_px < NARROW_PX
            if telling is not None:
                if is_narrow and left_px <= max(end_px, begin_px + NARROW_PX):
                    end_px = max(end_px, right_px)
                    n_bars += 1
                    found = self.look(node)
                    if _RANKS[found.token] < rank:
                        telling, look, rank = node, found, _RANKS[found.token]
                    continue
                drawn.append(Strip(begin_px, end_px, telling, look, n_bars))
                telling = None
            found = self.look(node)
            if is_narrow:
                begin_px, end_px, telling, n_bars = left_px, max(left_px, right_px), node, 1
                look, rank = found, _RANKS[found.token]
            else:
                drawn.append(Strip(left_px, right_px, node, found, 1))
        if telling is not None:
            drawn.append(Strip(begin_px, end_px, telling, look, n_bars))
        return drawn

    def _lane_for(self, node: Node) -> Lane:
        lanes = self._questions if node.is_question else self._calls
        free = [lane for lane in lanes if lane.is_free_for(node)]
        if len(free) > 1:
            branch = _branch(node)
            return next((lane for lane in free if lane.holds_branch(branch)), free[0])
        if free:
            return free[0]
        kind = "Model" if node.is_question else "Branch"
        lanes.append(Lane(f"{kind} {len(lanes) + 1}"))
        return lanes[-1]


def describe_bar(node: Node, now_ns: int | None = None) -> str:
    """A bar in words, for its tooltip and for screen readers."""
    begin_ns = node.sent_ns
    took_ns = node.took_ns
    if took_ns is None and now_ns is not None:
        took_ns = max(0, now_ns - begin_ns)
    kind = "Question to the model" if node.is_question else "API call"
    word = state_word(node)
    reason = f": {node.reason}" if node.reason and node.reason != word else ""
    took = "" if took_ns is None else f"{duration(took_ns / 1e9)}, "
    return (
        f"{node.title}\n{kind}, {word}{reason}\n"
        f"{took}from {duration(begin_ns / 1e9)} after the start"
    )


def _branch(node: Node) -> NodePath | None:
    """The step a call belongs to: its calls stay on one lane."""
    parts = node.path.split("/")
    for position, part in enumerate(parts):
        if node_kind(part.partition(".")[0]).on_map:
            return NodePath("/".join(parts[: position + 1]))
    return node.parent


def _distance(node: Node, at_ns: float) -> float:
    begin_ns = node.started_ns or 0
    end_ns = node.ended_ns if node.ended_ns is not None else float("inf")
    return max(begin_ns - at_ns, at_ns - end_ns, 0.0)
