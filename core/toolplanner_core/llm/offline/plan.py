"""Make and revise plans by rule. Called by `planner.py` for `MakePlan` and `Replan`.

One step per need, each with the toolkit that fits its words best; a step that fetches an input is
put first where a toolkit cannot do without one that the query does not hold.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.plan import Plan, Step
from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.dependencies import (
    gives_input,
    refers_back,
    waits_for,
    wanted_input,
)
from toolplanner_core.llm.offline.mentions import Mention, find_mentions
from toolplanner_core.llm.offline.needs import Need, split_needs
from toolplanner_core.llm.offline.similarity import Similarity
from toolplanner_core.prompts.cards import ToolkitCard
from toolplanner_core.prompts.make_plan import MakePlan
from toolplanner_core.prompts.plan_answer import plan_json
from toolplanner_core.prompts.replan import Replan

_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
"""Plans do not depend on the day: dates are only told apart from other words here."""


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A step before steps are numbered; `waits` holds drafts."""

    goal: str
    card: ToolkitCard
    waits: list["_Draft"]


def make_plan(question: MakePlan, similarity: Similarity) -> dict[str, Any]:
    """The answer's JSON."""
    needs = split_needs(question.query, _ANY_DAY)
    cards = question.toolkits
    if not needs or not cards:
        return plan_json(Plan(steps=()))
    best = _best(similarity, [need.text for need in needs], cards)
    merged = _merged(question.query, needs, best)
    drafts: list[_Draft] = []
    texts = [text for text, _ in merged]
    for index, (text, card) in enumerate(merged):
        draft = _Draft(goal=text, card=card, waits=[])
        awaited = waits_for(index, texts, _ANY_DAY)
        if awaited is not None:
            draft.waits.append(next(d for d in drafts if d.goal == texts[awaited]))
        _add_input(draft, drafts, cards, question.query, similarity)
        drafts.append(draft)
    return plan_json(Plan(steps=_numbered(drafts[: question.max_steps])))


def _best(
    similarity: Similarity, goals: Sequence[str], cards: Sequence[ToolkitCard]
) -> list[ToolkitCard]:
    rows = similarity.fits(goals, cards)
    return [
        cards[max(range(len(cards)), key=lambda index, row=row: (row[index].score, -index))]
        for row in rows
    ]


def _merged(
    query: str, needs: Sequence[Need], best: Sequence[ToolkitCard]
) -> list[tuple[str, ToolkitCard]]:
    """Needs that are served by one call are one step: "the latitude and the longitude of Lyon"."""
    merged: list[tuple[str, ToolkitCard]] = []
    start = 0
    for need, card in zip(needs, best, strict=True):
        is_more = (
            bool(merged)
            and merged[-1][1].id == card.id
            and not (_own(need.text) and _own(merged[-1][0]))
            and not refers_back(need.text)
        )
        if is_more:
            whole = query[start : need.start + len(need.text)]
            is_near = need.start > start and "." not in whole and "?" not in whole
            text = whole if is_near else f"{merged[-1][0]} and {need.text}"
            merged[-1] = (text, card)
        elif all((need.text, card.id) != (text, other.id) for text, other in merged):
            merged.append((need.text, card))
            start = need.start
    return merged


def _own(text: str) -> list[Mention]:
    """What a need says that an argument can be made of."""
    return [m for m in find_mentions(text, _ANY_DAY) if m.kind not in ("lower",)]


def _add_input(
    draft: _Draft,
    drafts: list[_Draft],
    cards: Sequence[ToolkitCard],
    query: str,
    similarity: Similarity,
) -> None:
    """Make a step wait for the input it cannot do without; put a step for it first if need be."""
    kind = wanted_input(draft.card)
    if kind is None or any(m.kind in kind.mentions for m in find_mentions(query, _ANY_DAY)):
        return
    giver = next((d for d in reversed(drafts) if gives_input(d.card, kind)), None)
    place = _place_of(draft.goal) or _place_of(query)
    if giver is not None and (not place or not _place_of(draft.goal) or place in giver.goal):
        if giver not in draft.waits:
            draft.waits.append(giver)
        return
    givers = [card for card in cards if gives_input(card, kind) and card.id != draft.card.id]
    if not givers or not place or draft.waits:
        return
    goal = kind.goal.format(place=place)
    helper = _Draft(goal=goal, card=_best(similarity, [goal], givers)[0], waits=[])
    drafts.append(helper)
    draft.waits.append(helper)


def _place_of(text: str) -> str:
    """The first place a text names, as it is written, with its state or country."""
    mentions = find_mentions(text, _ANY_DAY)
    for index, mention in enumerate(mentions):
        if mention.kind in ("name", "lower", "country"):
            follows = mentions[index + 1 : index + 2]
            if follows and text[mention.end : follows[0].start].strip() == ",":
                return text[mention.start : follows[0].end]
            return mention.text
    return ""


def _numbered(drafts: Sequence[_Draft]) -> tuple[Step, ...]:
    numbers = {id(draft): number for number, draft in enumerate(drafts, 1)}
    return tuple(
        Step(
            number=number,
            goal=draft.goal,
            toolkit=draft.card.id,
            needs=tuple(sorted(numbers[id(d)] for d in draft.waits if id(d) in numbers)),
        )
        for number, draft in enumerate(drafts, 1)
    )


def revise_plan(question: Replan, similarity: Similarity) -> dict[str, Any]:
    """The answer's JSON: finished steps first and unchanged, then what can still be done."""
    kept = question.finished_steps
    finished = {step.number for step in kept}
    moved = {step.number: index for index, step in enumerate(kept, 1)}
    steps = [
        replace(step, number=moved[step.number], needs=_moved(step.needs, moved)) for step in kept
    ]
    room = max(question.max_steps, len(kept))
    offered = {card.id for card in question.toolkits}
    for step in question.plan.steps:
        if step.number in finished or len(steps) >= room:
            continue
        if any(need not in moved for need in step.needs) and refers_back(step.goal):
            continue  # what it speaks of will not be found
        toolkit = step.toolkit
        if step.number == question.failed_step or toolkit not in offered:
            chosen = _replacement(step, question, similarity)
            if chosen is None:
                continue
            toolkit = chosen
        moved[step.number] = len(steps) + 1
        steps.append(
            Step(
                number=len(steps) + 1,
                goal=step.goal,
                toolkit=toolkit,
                needs=_moved(step.needs, moved),
            )
        )
    return plan_json(Plan(steps=tuple(steps)))


def _moved(needs: Sequence[int], moved: dict[int, int]) -> tuple[int, ...]:
    return tuple(sorted(moved[need] for need in needs if need in moved))


def _replacement(step: Step, question: Replan, similarity: Similarity) -> ToolkitId | None:
    """The best of the remaining toolkits that has to do with the goal; None when none has."""
    tried = {failure.toolkit for failure in question.failures if failure.goal == step.goal}
    cards = [card for card in question.toolkits if card.id not in tried]
    for kind in tables.inputs():
        # "Find the coordinates of Lyon" is met by what gives coordinates, not by what takes them.
        if re.search(rf"\b{kind.kind}\b.*\bof\b", step.goal, re.IGNORECASE):
            cards = [card for card in cards if gives_input(card, kind)]
    if not cards:
        return None
    fits = similarity.fits([step.goal], cards)[0]
    index = max(range(len(cards)), key=lambda at: (fits[at].score, -at))
    return cards[index].id if fits[index].is_related else None
