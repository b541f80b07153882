"""Compose the answer from what the steps found. Called by `planner.py` for `FinalAnswer`.

Every sentence is a step's statement or a failure's; nothing is added.
"""

import re
from collections.abc import Sequence
from typing import Any

from toolplanner_core.domain.failure import EXPLANATIONS
from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.dependencies import refers_back
from toolplanner_core.llm.offline.saying import say, subject_of
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.render import FailureCard, StepResult


def compose_answer(question: FinalAnswer) -> dict[str, Any]:
    """The answer's JSON."""
    lines = [_sentence(result) for result in _shown(question.results, question.query)]
    unmet = list(dict.fromkeys(goal.strip() for goal in question.unmet if goal.strip()))
    tried = {failure.goal for failure in question.failures}
    lines += [
        f"Not answered: {subject_of(goal)}. {_why(goal, question.failures)}"
        for goal in unmet
        if goal in tried
    ]
    waited = [goal for goal in unmet if goal not in tried and tried and refers_back(goal)]
    lines += [f"Not answered: {subject_of(goal)}. What it needs was not found." for goal in waited]
    never = [subject_of(goal) for goal in unmet if goal not in tried and goal not in waited]
    if never:
        lines.append(f"No toolkit here can do: {'; '.join(never)}.")
    solved = bool(question.results) and not unmet
    reason = ""
    if not solved:
        open_goals = "; ".join(subject_of(goal) for goal in unmet)
        if never:
            reason = f"No toolkit here can do: {'; '.join(never)}"
        else:
            reason = f"Not answered: {open_goals}" if unmet else _no_result(question.failures)
        if not lines:
            lines.append(f"The query could not be answered. {reason}")
    return {"answer": "\n".join(lines), "solved": solved, "reason": reason}


def _shown(results: Sequence[StepResult], query: str) -> list[StepResult]:
    """All results but those of steps that only fetched an input for another."""
    asked = [result for result in results if not _is_input(result.goal, query)]
    return asked or list(results)


def _is_input(goal: str, query: str) -> bool:
    for kind in tables.inputs():
        head = re.escape(kind.goal.partition("{")[0])
        if re.match(head, goal, re.IGNORECASE) and goal.lower() not in query.lower():
            return True
    return False


def _sentence(result: StepResult) -> str:
    text = result.state.strip() or say(result.goal, result.value)
    return text if text.endswith((".", "?", "…")) else f"{text}."


def _why(goal: str, failures: Sequence[FailureCard]) -> str:
    """The failures of a goal in words, each API once, the last failure of it."""
    last = {failure.api_title: failure for failure in failures if failure.goal == goal}
    said = [
        f"{title}: {failure.message.strip().rstrip('.') or EXPLANATIONS[failure.error].rstrip('.')}"
        for title, failure in list(last.items())[:4]
    ]
    more = len(last) - len(said)
    return "Tried " + "; ".join(said) + (f"; and {more} more." if more > 0 else ".")


def _no_result(failures: Sequence[FailureCard]) -> str:
    if not failures:
        return "No step of the plan gave a result."
    last = failures[-1]
    return f"All attempts failed, the last with: {last.message.strip() or EXPLANATIONS[last.error]}"
