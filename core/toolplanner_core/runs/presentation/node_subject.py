"""What a node of a run is about: its API, else its toolkit; where breakpoints and faults aim."""

from collections.abc import Mapping
from dataclasses import dataclass

from toolplanner_core.domain.ids import ApiId, NodePath, ToolkitId
from toolplanner_core.domain.stop_points import BEFORE_CALL, BEFORE_QUESTION
from toolplanner_core.runs.debugging.faults import FaultTarget, exact_pattern
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.interface.strategy import node_kind, strategies


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The nearest API or toolkit at a node or above it; neither for the run itself."""

    api: ApiId | None = None
    api_title: str = ""
    toolkit: ToolkitId | None = None
    toolkit_name: str = ""

    @property
    def target(self) -> FaultTarget | None:
        """What shall fail when it is said of this node."""
        if self.api_title:
            return FaultTarget(api=self.api_title)
        return FaultTarget(toolkit=self.toolkit_name) if self.toolkit_name else None


def subject_of(nodes: Mapping[NodePath, Node], path: NodePath) -> Subject:
    """What a node is about, or the nearest one above it that is about something."""
    node = nodes.get(path)
    while node is not None:
        api, toolkit = node.data.get("api"), node.data.get("toolkit")
        titled = _titled_by_api(nodes, node) if isinstance(api, str) and api else None
        if titled is not None:
            return Subject(api=ApiId(str(api)), api_title=titled.title)
        if isinstance(toolkit, int):
            name = str(node.data.get("toolkit_name", ""))
            return Subject(toolkit=ToolkitId(toolkit), toolkit_name=name)
        node = None if node.parent is None else nodes.get(node.parent)
    return Subject()


def _titled_by_api(nodes: Mapping[NodePath, Node], node: Node) -> Node | None:
    """The node itself, or the call below it of the API it is about, whose title is the API's."""
    below = (nodes[path] for path in node.children)
    calls = (call for call in below if call.is_call and call.data.get("api") == node.data["api"])
    return node if is_about_api(node) else next(calls, None)


def is_about_api(node: Node) -> bool:
    """Whether the title of a node is that of an API: a call, or a try of one."""
    return node.is_call or node_kind(node.kind).is_try


def api_titles(nodes: Mapping[NodePath, Node]) -> list[str]:
    """The APIs that a run tried, as patterns that fit them: what forms propose."""
    return sorted({exact_pattern(n.title) for n in nodes.values() if is_about_api(n)})


def breakpoint_parts(nodes: Mapping[NodePath, Node], path: NodePath) -> Mapping[str, str]:
    """The breakpoint that is meant by "break here": calls of the API or in the toolkit before they
    are sent, the same question, a plan that fails; for the run, what its strategy declares as a
    failure (an exhausted toolkit), else any failure."""
    node = nodes.get(path)
    if node is None or node.is_run:
        return {"failure": _failure_of(str(node.data.get("strategy", ""))) if node else "always"}
    if node.is_question:
        question = str(node.data.get("question", ""))
        before = {"at": BEFORE_QUESTION.id}
        return {**before, "if": f'question == "{question}"'} if question else before
    failed_at = node_kind(node.kind).failed_at
    if failed_at is not None:
        return {"failure": failed_at.failure}
    if "api" not in node.data and "toolkit" not in node.data:
        asked = next((child for child in node.children if nodes[child].is_question), None)
        if asked is not None:
            return breakpoint_parts(nodes, asked)
    subject = subject_of(nodes, path)
    before = {"at": BEFORE_CALL.id}
    if subject.api_title:
        return {"api": exact_pattern(subject.api_title), **before}
    if subject.toolkit_name:
        return {"toolkit": exact_pattern(subject.toolkit_name), **before}
    return {"failure": "always"}


def _failure_of(strategy: str) -> str:
    """The first failure that a strategy declares."""
    plugin = strategies.find(strategy)
    points = plugin.points if plugin is not None else ()
    return next((point.failure for point in points if point.failure), "always")
