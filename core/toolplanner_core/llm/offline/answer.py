"""Compose the answer from what the steps found. Called by `planner.py` for `FinalAnswer`.

Every sentence is a step's statement or a failure's; nothing is added.
"""

import re
from collections.abc import Sequence
from typing import Any

from toolplanner_core.domain.failure import EXPLANATIONS
from toolplanner_core.llm.offline.dependencies import refers_back
from toolplanner_core.llm.offline.saying import say, subject_of
from toolplanner_core.llm.offline.tables import table
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.render import FailureCard, StepResult


def compose_answer(question: FinalAnswer) -> dict[str, Any]:
    """The answer's JSON."""
    asked = [result for result in question.results if not _is_input(result.goal, question.query)]
    lines = [_sentence(result) for result in asked or question.results]
    unmet = list(dict.fromkeys(goal.strip() for goal in question.unmet if goal.strip()))
    tried = {failure.goal for failure in question.failures}
    waited = [goal for goal in unmet if goal not in tried and tried and refers_back(goal)]
    never = [subject_of(goal) for goal in unmet if goal not in tried and goal not in waited]
    for goal in [*filter(tried.__contains__, unmet), *waited]:
        why = _why(goal, question.failures) if goal in tried else "What it needs was not found."
        lines.append(f"Not answered: {subject_of(goal)}. {why}")
    reason = ""
    if never:
        reason = f"No toolkit here can do: {'; '.join(never)}"
        lines.append(f"{reason}.")
    elif unmet:
        reason = f"Not answered: {'; '.join(subject_of(goal) for goal in unmet)}"
    elif not question.results:
        reason = _no_result(question.failures)
    text = "\n".join(lines) or f"The query could not be answered. {reason}"
    return {"answer": text, "solved": not reason, "reason": reason}


def _is_input(goal: str, query: str) -> bool:
    """Whether a step only fetched an input for another."""
    heads = (kind["goal"].partition("{")[0].lower() for kind in table("inputs"))
    return goal.lower().startswith(tuple(heads)) and goal.lower() not in query.lower()


def _sentence(result: StepResult) -> str:
    text = result.state.strip() or say(result.goal, result.value)
    return text if text.endswith((".", "?", "…")) else f"{text}."


def _why(goal: str, failures: Sequence[FailureCard]) -> str:
    """The failures of a goal in words, each API once, the last failure of it."""
    last = {failure.api_title: failure for failure in failures if failure.goal == goal}
    said = [f"{title}: {_told(failure)}" for title, failure in [*last.items()][:4]]
    more = len(last) - len(said)
    return "Tried " + "; ".join(said) + (f"; and {more} more." if more > 0 else ".")


def _told(failure: FailureCard) -> str:
    said = re.sub(r"\.+$", "", failure.message.strip())
    return said or EXPLANATIONS[failure.error].rstrip(".")


def _no_result(failures: Sequence[FailureCard]) -> str:
    if not failures:
        return "No step of the plan gave a result."
    last = failures[-1]
    return f"All attempts failed, the last with: {last.message.strip() or EXPLANATIONS[last.error]}"
