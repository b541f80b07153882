"""Needs that a toolkit could not serve, and what met them elsewhere in the same run.

Cluster Incomplete means that a toolkit lacked an API which the catalogue has (Source: Tool-Planner,
arXiv 2406.03807, appendix H). A run shows the first half where each member of the toolkit failed
for what it is; of the second half it is evidence that a step with the same need was done by an API
of another toolkit.

Not claimed: that the catalogue has no such API where nothing met the need, since nobody looked
through all of it; that needs in other words are the same; that the API which met the need belongs
into the toolkit that could not. Where the gold APIs are known, the judge `toolkits` of experiments
decides by them instead.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolplanner_core.domain.failure import OF_SERVICE, ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.words.formatting import one_line
from toolplanner_core.words.word_splitting import sorted_words


@dataclass(frozen=True, slots=True, kw_only=True)
class UnservedNeed:
    """A need that no API of its toolkit could do.

    Attributes:
        step: the node of the step; met_by: of the step of another toolkit that was done with the
            same need, None if there is none; api: what did it there, for people.
    """

    step: NodePath
    goal: str
    toolkit: str
    met_by: NodePath | None = None
    met_toolkit: str = ""
    api: str = ""

    @property
    def words(self) -> str:
        """For people, a sentence."""
        said = f"No API of {self.toolkit} could do “{one_line(self.goal, 80)}”"
        if self.met_by is None:
            return f"{said}; whether the catalogue has one that can, this run does not show."
        return f"{said}; {self.api} of {self.met_toolkit} did ({self.met_by})."


def unserved_needs(nodes: Mapping[NodePath, Node]) -> Iterator[UnservedNeed]:
    """The steps whose toolkit is incomplete, in the order of the run."""
    steps = [node for node in nodes.values() if node.data.get("toolkit") is not None]
    for step in steps:
        if step.error != ErrorClass.CLUSTER_INCOMPLETE or "goal" not in step.data:
            continue
        if any(nodes[path].error in OF_SERVICE for path in step.children):
            continue  # until version 0.2 a toolkit was called incomplete where services were down
        goal = str(step.data["goal"])
        need = UnservedNeed(step=step.path, goal=goal, toolkit=_toolkit(step))
        met = next((other for other in steps if _is_met(other, step)), None)
        if met is not None:
            need = UnservedNeed(
                step=step.path,
                goal=goal,
                toolkit=_toolkit(step),
                met_by=met.path,
                met_toolkit=_toolkit(met),
                api=_who_did(met, nodes),
            )
        yield need


def _is_met(other: Node, step: Node) -> bool:
    """Whether another step did what this one was for, in another toolkit."""
    is_elsewhere = other.data["toolkit"] != step.data["toolkit"]
    goals = (sorted_words(str(each.data.get("goal", ""))) for each in (other, step))
    return other.state is NodeState.OK and is_elsewhere and len({*goals}) == 1


def _toolkit(step: Node) -> str:
    return str(step.data.get("toolkit_name") or f"toolkit {step.data['toolkit']}")


def _who_did(step: Node, nodes: Mapping[NodePath, Node]) -> str:
    """The API of the attempt that ended well."""
    tried = (nodes[path] for path in step.children)
    done = (str(node.data.get("title", "")) for node in tried if node.state is NodeState.OK)
    return next(filter(None, done), "an API")
