"""Act on turns that call toolkits instead of APIs: each call is a step of a plan, with its
fallbacks, and what failed in it stays hidden from the model (Source: Tool-Planner, table 4)."""

from collections.abc import Mapping
from datetime import datetime

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.plan import Step
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.prompts.cards import FailureCard, StepResult
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.functions import Functions
from toolplanner_core.prompts.render import as_json, block, cut, one_line
from toolplanner_core.strategies.acting import THOUGHT_LIMIT, Acted, Acting
from toolplanner_core.strategies.dialogue import Dialogue, Turn
from toolplanner_core.strategies.scope import OpenNode, RunScope
from toolplanner_core.strategies.toolkits.steps import StepOutcome, do_step


class ToolkitActing(Acting):
    """Acts through toolkits.

    Args:
        kits: toolkits by the names of their functions.
    """

    def __init__(
        self, run: RunScope, functions: Functions, kits: Mapping[str, Toolkit], now: datetime
    ) -> None:
        super().__init__(run, functions)
        self._kits = kits
        self._now = now
        self._results: list[StepResult] = []
        self._failures: list[FailureCard] = []

    async def on(self, turn: Turn, talk: Dialogue, node: OpenNode) -> Acted:
        """Do the steps that a turn wants; whatever else it wants is done as ever."""
        if not turn.calls or any(call.name not in self._kits for call in turn.calls):
            return await super().on(turn, talk, node)
        thought = one_line(turn.text, THOUGHT_LIMIT)
        acted = Acted(seq=turn.seq)
        for number, call in enumerate(turn.calls, start=1):
            kit = self._kits[call.name]
            goal = str((call.values() or {}).get("goal") or thought or self._run.task.query)
            outcome = await do_step(
                self._run,
                Step(number=number, goal=goal, toolkit=kit.id),
                results=tuple(self._results),
                failures=tuple(self._failures),
                now=self._now,
                max_members=None,
                member_order="similarity",
            )
            self._failures += outcome.failures
            said = f"{thought} → {kit.name}" if thought else kit.name
            node.tell(title=said, thought=turn.text, toolkit=kit.id, toolkit_name=kit.name)
            acted = self._tell(outcome, call, talk, turn, said)
        return acted

    def _tell(
        self, outcome: StepOutcome, call: FunctionCall, talk: Dialogue, turn: Turn, said: str
    ) -> Acted:
        done = outcome.result
        if done is None:
            why = outcome.failures[-1].message if outcome.failures else "it is empty"
            talk.result(call, f"No API of the toolkit could do it: {why}")
            ends = ErrorClass.OVER_BUDGET if outcome.ends_run else ErrorClass.CLUSTER_INCOMPLETE
            return Acted(seq=outcome.exhausted or turn.seq, error=ends, said=said)
        # Numbered through all turns: arguments of later steps refer to results by these numbers.
        result = StepResult(
            step=len(self._results) + 1,
            goal=done.goal,
            toolkit=done.toolkit,
            api_title=done.api_title,
            arguments=done.arguments,
            value=done.value,
            state=done.state,
        )
        self._results.append(result)
        talk.result(call, block("result", f"{result.state}\n{cut(as_json(result.value))}"))
        return Acted(seq=turn.seq, said=said, told=one_line(result.state, THOUGHT_LIMIT))
