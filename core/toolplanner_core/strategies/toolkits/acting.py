"""Act on turns that call toolkits instead of APIs: each call is a step of a plan, with its
fallbacks, and what failed in it stays hidden from the model (Source: Tool-Planner, table 4)."""

from dataclasses import replace
from datetime import datetime

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.plan import Step
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.functions import Functions
from toolplanner_core.prompts.render import as_json, block, cut
from toolplanner_core.strategies.acting import Acted, Acting, joined
from toolplanner_core.strategies.dialogue import Dialogue
from toolplanner_core.strategies.scope import RunScope
from toolplanner_core.strategies.toolkits.attempts import Known
from toolplanner_core.strategies.toolkits.steps import do_step
from toolplanner_core.words.wording import one_line


class ToolkitActing(Acting):
    """Acts through the toolkits among the functions."""

    def __init__(self, run: RunScope, functions: Functions, now: datetime) -> None:
        super().__init__(run, functions)
        self._steps = 0
        self._known = Known(results=(), failures=(), now=now)

    async def _call(self, call: FunctionCall, talk: Dialogue, before: Acted) -> Acted:
        kit = self._functions.kits.get(call.name)
        if kit is None:
            return await super()._call(call, talk, before)
        # Numbered through all turns: arguments of later steps refer to results by these numbers.
        self._steps += 1
        goal = (call.values() or {}).get("goal") or before.said or self._run.task.query
        step = Step(number=self._steps, goal=str(goal), toolkit=kit.id)
        outcome = await do_step(self._run, step, self._known)
        known = self._known
        self._known = replace(known, failures=(*known.failures, *outcome.failures))
        said, done = joined(before.said, kit.name), outcome.result
        if done is None:
            last = outcome.failures[-1] if outcome.failures else None
            why = last.message if last is not None else "it is empty"
            talk.result(call, f"No API of the toolkit could do it: {why}")
            error = last.error if last and outcome.ends_run else ErrorClass.CLUSTER_INCOMPLETE
            return Acted(seq=outcome.exhausted or before.seq, error=error, said=said)
        self._known = replace(self._known, results=(*known.results, done))
        talk.result(call, block("result", f"{done.state}\n{cut(as_json(done.value))}"))
        return Acted(seq=before.seq, said=said, told=one_line(done.state))
