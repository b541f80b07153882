"""How the steps of all runs ended, by the toolkit each was planned for.

One pass over the nodes in the log; not for the GUI thread.
"""

from dataclasses import dataclass

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ToolkitId, path_and_ancestors
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import EXAMPLE_MODEL, NO_EVIDENCE, NOT_SENT
from toolplanner_core.workspace.rows import stored_json
from toolplanner_core.workspace.runs import COUNTED_ONCE
from toolplanner_core.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedOutcome:
    """One step that ended or was given up.

    Attributes:
        toolkit: the one it was planned for.
        is_failed: the step failed in it, or no API of it could do the step.
        is_incomplete: of these, the latter.
        replaced_by: the toolkit that a later plan of the run gave a step with the same goal.
    """

    toolkit: ToolkitId
    is_failed: bool
    is_incomplete: bool
    replaced_by: ToolkitId | None


@dataclass(slots=True, kw_only=True)
class _Step:
    toolkit: int
    goal: str
    is_failed: bool = False
    is_incomplete: bool = False
    has_unsent: bool = False
    replaced_by: int | None = None


def step_outcomes(workspace: Workspace) -> list[RecordedOutcome]:
    """The steps of all runs in the order of their begin; those of a fork's shared beginning count
    once, in the run that made them.

    A step with an injected, simulated or person's outcome says nothing about its toolkit, and is
    left out; so are one that failed and had a call that was never sent, those of example runs, and
    those of an imported copy of a run that is here.
    """
    rows = workspace.reader().execute(
        "SELECT run_id, path, type, body FROM events"
        " WHERE run_id NOT IN (SELECT id FROM runs WHERE model = ?)"
        f" AND {COUNTED_ONCE}"
        " AND ((type = 'node.opened' AND json_extract(body, '$.kind') = 'step')"
        " OR type = 'toolkit.exhausted'"  # until version 0.2
        " OR (type = 'decided' AND json_extract(body, '$.point') = 'toolkit_exhausted'"
        " AND json_extract(body, '$.chosen') IS NULL)"
        " OR (type = 'node.closed' AND json_extract(body, '$.state') = ?)"
        " OR (type IN ('call.returned', 'call.failed')"
        f" AND json_extract(body, '$.origin') IN ({', '.join('?' * len(NO_EVIDENCE))}))"
        " OR type = 'call.refused')"
        " ORDER BY run_id, seq",
        [EXAMPLE_MODEL, NodeState.FAILED.value, *NO_EVIDENCE],
    )
    steps: dict[tuple[int, str], _Step] = {}
    for run, path, kind, text in rows:
        body = stored_json(text)
        if kind.startswith("call."):
            is_unsent = body.get("origin", NOT_SENT) == NOT_SENT
            for around in path_and_ancestors(path):
                if not is_unsent:
                    steps.pop((run, around), None)
                elif (tried := steps.get((run, around))) is not None:
                    tried.has_unsent = True
            continue
        step = steps.get((run, path))
        if kind == "node.opened":
            data = body["data"]
            if isinstance(data, dict) and isinstance(data.get("toolkit"), int):
                opened = _Step(toolkit=data["toolkit"], goal=str(data.get("goal", "")))
                _step_in(steps, run, opened)
                steps[run, path] = opened
        elif step is not None:
            step.is_failed = True
            is_unable = kind != "node.closed" or (
                body.get("error") == ErrorClass.CLUSTER_INCOMPLETE
            )
            step.is_incomplete = step.is_incomplete or is_unable
    return [
        RecordedOutcome(
            toolkit=ToolkitId(step.toolkit),
            is_failed=step.is_failed,
            is_incomplete=step.is_incomplete,
            replaced_by=None if step.replaced_by is None else ToolkitId(step.replaced_by),
        )
        for step in steps.values()
        if not (step.is_failed and step.has_unsent)
    ]


def _step_in(steps: dict[tuple[int, str], _Step], run: int, opened: _Step) -> None:
    """Say of a failed step of the same run and goal that this toolkit stepped in for its own."""
    for (other, _), step in steps.items():
        is_same = other == run and step.goal == opened.goal and step.replaced_by is None
        if is_same and step.is_failed and step.toolkit != opened.toolkit:
            step.replaced_by = opened.toolkit
