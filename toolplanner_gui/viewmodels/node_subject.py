"""What a node of a run is about: its API, else its toolkit; where breakpoints and faults aim.

Callers: the menu of the tree's nodes, F9, "show on the map".
"""

from collections.abc import Mapping
from dataclasses import dataclass

from toolplanner_core.domain.ids import ApiId, NodePath, ToolkitId
from toolplanner_core.domain.nodes import NodeKind
from toolplanner_core.runs.faults import FaultTarget, exact_pattern
from toolplanner_core.runs.node import Node
from toolplanner_core.runs.stops import StopPoint


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
        if isinstance(api, str) and api and node.kind in (NodeKind.CALL, NodeKind.ATTEMPT):
            return Subject(api=ApiId(api), api_title=node.title)
        if isinstance(toolkit, int):
            name = str(node.data.get("toolkit_name", ""))
            return Subject(toolkit=ToolkitId(toolkit), toolkit_name=name)
        node = None if node.parent is None else nodes.get(node.parent)
    return Subject()


def api_titles(nodes: Mapping[NodePath, Node]) -> list[str]:
    """The APIs that a run tried, as patterns that fit them: what forms propose."""
    kinds = (NodeKind.CALL, NodeKind.ATTEMPT)
    return sorted({exact_pattern(n.title) for n in nodes.values() if n.kind in kinds})


def breakpoint_parts(nodes: Mapping[NodePath, Node], path: NodePath) -> Mapping[str, str]:
    """The breakpoint that is meant by "break here": calls of the API or in the toolkit before they
    are sent, the same question, a new plan; for the run itself, a toolkit that is exhausted."""
    node = nodes.get(path)
    if node is None or node.kind is NodeKind.RUN:
        return {"failure": "exhausted"}
    if node.kind is NodeKind.QUESTION:
        question = str(node.data.get("question", ""))
        before = {"at": StopPoint.BEFORE_QUESTION.value}
        return {**before, "if": f'question == "{question}"'} if question else before
    if node.kind is NodeKind.PLAN:
        return {"at": StopPoint.BEFORE_REPLAN.value}
    subject = subject_of(nodes, path)
    before = {"at": StopPoint.BEFORE_CALL.value}
    if subject.api_title:
        return {"api": exact_pattern(subject.api_title), **before}
    return {"toolkit": exact_pattern(subject.toolkit_name), **before}
