"""What is drawn over the map: plans of a run, and transitions of the graph of tools."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from toolplanner_core.domain.ids import ApiId, NodePath, ToolkitId, path_and_ancestors
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.presentation.states import NODE_LOOKS
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_gui.map.plan_trail import Trail, TrailStop
from toolplanner_gui.viewmodels.curate.transitions import Arrow

MOST_STOPS = 40
"""Shown of one plan: those around the step that goes on."""
MOST_OLD = 3
"""Plans that were given up are shown as far back as this."""
_GOES_ON = (NodeState.RUNNING, NodeState.PAUSED)
_SAID_BY_NUMBER = (NodeState.WAITING, NodeState.RUNNING)
"""States whose number needs no picture beside it."""
_ORDER = list(NODE_LOOKS)
_LINE = 64

PlaceOf = Callable[[ToolkitId | ApiId], tuple[float, float] | None]


class PlanTrails(NamedTuple):
    """Trails, older plans first, and what they are in one line."""

    trails: list[Trail]
    words: str


def changes_trails(node: Node) -> bool:
    """Whether a change of a node changes the picture."""
    kind = node_kind(node.kind)
    return node.is_run or kind.is_route or kind.on_map


def plan_trails(nodes: Mapping[NodePath, Node], place_of: PlaceOf) -> PlanTrails:
    """The newest plan of a run and the last ones before it.

    Args:
        nodes: of the run.
        place_of: of an API, or the middle of a toolkit; None for one that is no longer there.
    """
    plans = _routes(nodes)
    calls = _calls(nodes)
    trails: list[Trail] = []
    for plan in plans[-MOST_OLD - 1 :]:
        is_old = plan is not plans[-1]
        steps = _around_active(_steps(plan, nodes))
        # Without a route of its own a search has numbers that begin anew in each branch.
        is_route = node_kind(plan.kind).is_route
        labels = [
            str(step.data.get("number", step.number) if is_route else position)
            for position, step in enumerate(steps, 1)
        ]
        stops = [
            _stop(step, label, plan, place_of, state=_state(step, calls), is_old=is_old)
            for step, label in zip(steps, labels, strict=True)
        ]
        trails.append(Trail(tuple(stop for stop in stops if stop is not None), is_old))
    if not any(trail.stops for trail in trails):
        return PlanTrails([], "")
    newest = plans[-1]
    if newest.is_run and (apis := _apis(_steps(newest, nodes))):
        return PlanTrails(trails, _words_of_apis(newest, apis, calls, place_of))
    return PlanTrails(trails, _words(plans, nodes, len(trails[-1].stops)))


def _routes(nodes: Mapping[NodePath, Node]) -> list[Node]:
    """The plans of a run; of one without plans, the run itself."""
    routes = [node for node in nodes.values() if node_kind(node.kind).is_route]
    root = nodes.get(NodePath(""))
    return routes or ([root] if root is not None else [])


def _steps(route: Node, nodes: Mapping[NodePath, Node]) -> list[Node]:
    """The stops of a route in order: of a run without plans those at any depth."""
    if node_kind(route.kind).is_route:
        return [nodes[path] for path in route.children if node_kind(nodes[path].kind).on_map]
    return [node for node in nodes.values() if node_kind(node.kind).on_map]


def _calls(nodes: Mapping[NodePath, Node]) -> dict[str, list[Node]]:
    """The calls of each API, in the order in which they began."""
    found: dict[str, list[Node]] = {}
    for node in sorted(nodes.values(), key=lambda node: node.opened_seq):
        if node.is_call:
            found.setdefault(str(node.data.get("api")), []).append(node)
    return found


def _state(step: Node, calls: Mapping[str, Sequence[Node]]) -> NodeState:
    """How a stop stands: of an API that was found here and called elsewhere its last call."""
    made = calls.get(str(step.data.get("api")), ())
    if (
        not made
        or step.state in _GOES_ON
        or any(step.path in path_and_ancestors(call.path) for call in made)
    ):
        return step.state
    return made[-1].state


def _apis(steps: Sequence[Node]) -> dict[ApiId, Node]:
    """The APIs that stops name, each with its last one; none where some name toolkits alone."""
    named = [step for step in steps if step.data.get("api") or step.data.get("toolkit")]
    if not all(isinstance(step.data.get("api"), str) for step in named):
        return {}
    return {ApiId(step.data["api"]): step for step in named}


def _around_active(steps: list[Node]) -> list[Node]:
    if len(steps) <= MOST_STOPS:
        return steps
    begun = [i for i, step in enumerate(steps) if step.started_ns is not None]
    at = begun[-1] if begun else 0
    begin = min(max(0, at - MOST_STOPS // 2), len(steps) - MOST_STOPS)
    return steps[begin : begin + MOST_STOPS]


def _stop(
    step: Node, label: str, plan: Node, place_of: PlaceOf, *, state: NodeState, is_old: bool
) -> TrailStop | None:
    toolkit, api = step.data.get("toolkit"), step.data.get("api")
    place = place_of(ToolkitId(toolkit)) if isinstance(toolkit, int) else None
    if place is None and isinstance(api, str):
        place = place_of(ApiId(api))
    if place is None:
        return None
    look = NODE_LOOKS[state]
    name = str(step.data.get("toolkit_name", ""))
    said = look.word if not step.reason else f"{look.word}: {step.reason}"
    given_up = f"{_name(plan)}, {NODE_LOOKS[plan.state].word}" if is_old else ""
    head = f"{node_kind(step.kind).word.capitalize()} {label}"
    lines = (
        f"{head} · {name}" if name else head,
        step.title,
        said[:1].upper() + said[1:],
        given_up,
    )
    return TrailStop(
        x=place[0],
        y=place[1],
        label=label,
        token=look.token,
        icon="" if state in _SAID_BY_NUMBER else look.icon,
        is_active=step.state in _GOES_ON and not is_old,
        key=step.path,
        lines=tuple(one_line(line, _LINE) for line in lines if line),
    )


def _words_of_apis(
    run: Node, apis: Mapping[ApiId, Node], calls: Mapping[str, Sequence[Node]], place_of: PlaceOf
) -> str:
    """A search comes to an API more than once: each counts once, with its last call."""
    called = [_last_state(step, calls.get(api, ())) for api, step in apis.items()]
    counts = Counter(state for state in called if state is not None)
    states = [f"{counts[s]} {NODE_LOOKS[s].word}" for s in sorted(counts, key=_ORDER.index)]
    if n_left := called.count(None):
        states.append(f"{n_left} not called")
    said = f"{_name(run)} · {counted(len(apis), 'API')}: {', '.join(states)}"
    n_shown = sum(place_of(api) is not None for api in apis)
    return said if n_shown == len(apis) else f"{said} · {n_shown} of them on the map"


def _last_state(step: Node, calls: Sequence[Node]) -> NodeState | None:
    if calls:
        return calls[-1].state
    return step.state if step.state in _GOES_ON else None


def _words(plans: Sequence[Node], nodes: Mapping[NodePath, Node], n_shown: int) -> str:
    newest = plans[-1]
    steps = _steps(newest, nodes)
    counts = Counter(step.state for step in steps)
    states = [f"{counts[s]} {NODE_LOOKS[s].word}" for s in sorted(counts, key=_ORDER.index)]
    noun = node_kind(steps[0].kind).word if steps else "step"
    said = (f"{_name(newest)} · {counted(len(steps), noun)}", ", ".join(states))
    parts = [": ".join(filter(None, said))]
    if n_shown < len(steps):
        parts.append(f"{n_shown} of them on the map")
    if len(plans) > 1:
        before = plans[-2]
        word = NODE_LOOKS[before.state].word
        name = _name(before)
        parts.append(f"dashed: {name[:1].lower()}{name[1:]}, {word}")
    return " · ".join(parts)


def _name(route: Node) -> str:
    if route.is_run:
        return "Run"
    return f"{node_kind(route.kind).word.capitalize()} {route.data.get('number', route.number)}"


API_KEY = "api:"
"""Begins the key of a stop that is an API."""


def transition_trails(arrows: Sequence[Arrow], words: str, place_of: PlaceOf) -> PlanTrails:
    """A trail of two stops for each arrow whose ends are on the map.

    Args:
        place_of: of an API; None for one that is not there.
    """
    trails: list[Trail] = []
    for arrow in arrows:
        begin, end = place_of(arrow.before), place_of(arrow.after)
        if begin is None or end is None or arrow.before == arrow.after:
            continue
        after = (arrow.title, f"Comes after it, weight {arrow.weight}")
        stops = (
            _transition_stop(arrow.before, begin, "", ("What is selected",)),
            _transition_stop(arrow.after, end, str(arrow.weight), after),
        )
        trails.append(Trail(stops, is_old=False))
    return PlanTrails(trails, words if trails else "")


def _transition_stop(
    api: ApiId, place: tuple[float, float], label: str, lines: Sequence[str]
) -> TrailStop:
    return TrailStop(
        x=place[0],
        y=place[1],
        label=label,
        token="accent",
        icon="",
        is_active=False,
        key=f"{API_KEY}{api}",
        lines=tuple(one_line(line, _LINE) for line in lines),
    )
