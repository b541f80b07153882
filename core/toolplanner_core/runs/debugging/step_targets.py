"""Where a held run stops next: the ways of stepping.

step into   the next stop point at any depth
step over   the next one outside the node around this one; in the run itself, where that would be
            none, outside the question or call
step out    the next one outside that node's parent
run to      the next one at or below a node
"""

from dataclasses import dataclass
from enum import StrEnum

from toolplanner_core.domain.ids import ROOT, NodePath, parent_of
from toolplanner_core.runs.debugging.stops import Stop


class StepCommand(StrEnum):
    """How a held run goes on."""

    CONTINUE = "continue"
    STEP_INTO = "step into"
    STEP_OVER = "step over"
    STEP_OUT = "step out"
    RUN_TO = "run to here"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTarget:
    """Where to stop next."""

    action: StepCommand = StepCommand.CONTINUE
    path: NodePath = NodePath("")  # noqa: RUF009 - a text
    is_unit: bool = True

    def is_reached(self, stop: Stop) -> bool:
        """Whether to stop here."""
        if not stop.point.is_stepped:
            return False
        is_below = not self.path or _is_below(stop.path, self.path)
        match self.action:
            case StepCommand.CONTINUE:
                return False
            case StepCommand.STEP_INTO:
                return True
            case StepCommand.RUN_TO:
                return is_below
            case _:
                return not is_below if self.is_unit else stop.node != self.path


def target_of(action: StepCommand, stop: Stop, to: NodePath | None) -> StepTarget:
    """Where an action leads from a stop; `to` is the node to run to."""
    if action is StepCommand.RUN_TO:
        return StepTarget(action=action, path=to or stop.path)
    if action is StepCommand.STEP_OUT:
        return StepTarget(action=action, path=parent_of(stop.node) or ROOT)
    return StepTarget(action=action, path=stop.node or stop.path, is_unit=stop.is_unit)


def _is_below(path: NodePath, node: NodePath) -> bool:
    return path == node or path.startswith(f"{node}/")
