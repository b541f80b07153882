"""Revise plans by rule. Called by `planner.py` for `Replan`."""

import re
from dataclasses import replace
from typing import Any

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.plan import Plan, Step
from toolplanner_core.llm.offline.dependencies import gives_input, refers_back
from toolplanner_core.llm.offline.plan import best_of
from toolplanner_core.llm.offline.similarity import Similarity
from toolplanner_core.llm.offline.tables import table
from toolplanner_core.prompts.plan_answer import plan_json
from toolplanner_core.prompts.replan import Replan

_STANDS_IN = 0.4
"""Share of the fit of the toolkit that failed which one in its place must reach; chosen by trial in
the demo world (crime statistics and neighbourhood safety may stand in for each other, parcel
carriers and owners of IP addresses may not). The words of toolkits alone are too few for it."""


def revise_plan(question: Replan, similarity: Similarity) -> dict[str, Any]:
    """The answer's JSON: finished steps by their old numbers, then what can still be done, counted
    on from the old plan."""
    keep = [step.number for step in question.finished_steps]
    moved = {number: number for number in keep}
    room = max(question.max_steps, len(keep)) - len(keep)
    offered = {card.id for card in question.toolkits}
    steps: list[Step] = []
    for step in question.plan.steps:
        if step.number in keep or len(steps) >= room:
            continue
        if any(need not in moved for need in step.needs) and refers_back(step.goal):
            continue  # what it speaks of will not be found
        toolkit: ToolkitId | None = step.toolkit
        if step.number == question.failed_step or toolkit not in offered:
            toolkit = _replacement(step, question, similarity)
            if toolkit is None:
                continue
        moved[step.number] = len(question.plan.steps) + len(steps) + 1
        needs = tuple(sorted(moved[need] for need in step.needs if need in moved))
        steps.append(
            replace(step, number=moved[step.number], toolkit=toolkit, needs=needs, api=None)
        )
    return {"keep": keep, **plan_json(Plan(steps=tuple(steps)))}


def _replacement(step: Step, question: Replan, similarity: Similarity) -> ToolkitId | None:
    """The best of the remaining toolkits that has to do with the goal; None when none has."""
    tried = {failure.toolkit for failure in question.failures if failure.goal == step.goal}
    cards = [card for card in question.toolkits if card.id not in tried]
    for kind in table("inputs"):
        # "Find the coordinates of Lyon" is met by what gives coordinates, not by what takes them.
        if re.search(rf"(?i)\b{kind['kind']}\b.*\bof\b", step.goal):
            cards = [card for card in cards if gives_input(card, kind)]
    used_up = [card for card in question.exhausted if card not in cards]
    row = similarity.fits([step.goal], [*cards, *used_up])[0]
    chosen = best_of(row[: len(cards)], cards)
    if chosen is None:
        return None
    reached, best = max(fit.score for fit in row[: len(cards)]), max(fit.score for fit in row)
    return None if similarity.knows_members and reached < _STANDS_IN * best else chosen.id
