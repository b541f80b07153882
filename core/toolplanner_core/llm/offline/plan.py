"""Make and revise plans by rule. Called by `planner.py` for `MakePlan` and `Replan`.

One step per need, each with the toolkit that fits it best; a need that none fits is left out and
named as unmet. A step that fetches an input is
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
from toolplanner_core.llm.offline.domains import split_by_domain
from toolplanner_core.llm.offline.mentions import Mention, find_mentions
from toolplanner_core.llm.offline.needs import Need, split_needs
from toolplanner_core.llm.offline.similarity import NeedFit, Similarity
from toolplanner_core.llm.offline.subject import subject_words
from toolplanner_core.prompts.make_plan import MakePlan
from toolplanner_core.prompts.plan_answer import plan_json
from toolplanner_core.prompts.render import ToolkitCard
from toolplanner_core.prompts.replan import Replan

_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
"""Plans do not depend on the day: dates are only told apart from other words here."""

_STANDS_IN = 0.4
"""Share of the fit of the toolkit that failed which one in its place must reach; chosen by trial in
the demo world (crime statistics and neighbourhood safety may stand in for each other, parcel
carriers and owners of IP addresses may not). The words of toolkits alone are too few for it."""


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A step before steps are numbered; `waits` holds drafts."""

    goal: str
    card: ToolkitCard
    waits: list["_Draft"]


@dataclass(slots=True, kw_only=True)
class _Wanted:
    """A need, and the toolkit that fits it best; None when none has to do with it."""

    text: str
    start: int
    card: ToolkitCard | None


def make_plan(question: MakePlan, similarity: Similarity) -> dict[str, Any]:
    """The answer's JSON; needs that no toolkit fits are `unmet`."""
    cards = question.toolkits
    needs = split_by_domain(split_needs(question.query, _ANY_DAY), cards, similarity)
    needs = _telling(needs)
    if not needs:
        return plan_json(Plan(steps=()))
    wanted = _merged(question.query, _matched(similarity, needs, cards))
    texts = [want.text for want in wanted]
    drafts: list[_Draft] = []
    steps: dict[int, _Draft] = {}
    for index, want in enumerate(wanted):
        awaited = waits_for(index, texts, _ANY_DAY)
        if want.card is None or (awaited is not None and awaited not in steps):
            continue  # nothing fits, or what it speaks of will not be found
        draft = _Draft(goal=want.text, card=want.card, waits=[])
        if awaited is not None:
            draft.waits.append(steps[awaited])
        _add_input(draft, drafts, cards, question.query, similarity)
        drafts.append(draft)
        steps[index] = draft
    planned = drafts[: question.max_steps]
    unmet = [
        want.text
        for index, want in enumerate(wanted)
        if not any(draft is steps.get(index) for draft in planned)
    ]
    return plan_json(Plan(steps=_numbered(planned), unmet=tuple(dict.fromkeys(unmet))))


def _telling(needs: Sequence[Need]) -> list[Need]:
    """Without clauses that ask for nothing of their own: "please assist me with that"."""
    kept = [need for need in needs if subject_words(need.text).words or _own(need.text)]
    return kept or list(needs)


def _matched(
    similarity: Similarity, needs: Sequence[Need], cards: Sequence[ToolkitCard]
) -> list[_Wanted]:
    rows = similarity.fits([need.text for need in needs], cards)
    return [
        _Wanted(text=need.text, start=need.start, card=_best_of(row, cards))
        for need, row in zip(needs, rows, strict=True)
    ]


def _best_of(row: Sequence[NeedFit], cards: Sequence[ToolkitCard]) -> ToolkitCard | None:
    """The card that fits best, None when even that has nothing to do with the need."""
    if not cards:
        return None
    index = max(range(len(cards)), key=lambda at: (row[at].score, -at))
    return cards[index] if row[index].is_related else None


def _merged(query: str, wanted: Sequence[_Wanted]) -> list[_Wanted]:
    """Needs that are served by one call are one step: "the latitude and the longitude of Lyon"."""
    merged: list[_Wanted] = []
    for want in wanted:
        last = merged[-1] if merged else None
        is_more = (
            last is not None
            and last.card is not None
            and want.card is not None
            and last.card.id == want.card.id
            and not (_own(want.text) and _own(last.text))
            and not refers_back(want.text)
        )
        if is_more and last is not None:
            whole = query[last.start : want.start + len(want.text)]
            is_near = want.start > last.start and "." not in whole and "?" not in whole
            last.text = whole if is_near else f"{last.text} and {want.text}"
        elif all((want.text, want.card) != (other.text, other.card) for other in merged):
            merged.append(want)
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
    helper = _Draft(goal=goal, card=_nearest(similarity, goal, givers), waits=[])
    drafts.append(helper)
    draft.waits.append(helper)


def _nearest(similarity: Similarity, goal: str, cards: Sequence[ToolkitCard]) -> ToolkitCard:
    """The best of cards that are known to do it."""
    row = similarity.fits([goal], cards)[0]
    return cards[max(range(len(cards)), key=lambda index: (row[index].score, -index))]


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
    return _kept_by_number(question, steps, len(kept))


def _kept_by_number(question: Replan, steps: Sequence[Step], n_kept: int) -> dict[str, Any]:
    """The answer's JSON: kept steps by their old numbers, new ones counted on from those."""
    keep = [step.number for step in question.finished_steps]
    first = len(question.plan.steps) + 1
    numbers = [*keep, *range(first, first + len(steps) - n_kept)]
    new = [
        replace(
            step,
            number=numbers[step.number - 1],
            needs=tuple(numbers[need - 1] for need in step.needs),
        )
        for step in steps[n_kept:]
    ]
    return {"keep": keep, **plan_json(Plan(steps=tuple(new)))}


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
    used_up = [card for card in question.exhausted if card not in cards]
    row = similarity.fits([step.goal], [*cards, *used_up])[0]
    chosen = _best_of(row[: len(cards)], cards)
    if chosen is None:
        return None
    reached = max(fit.score for fit in row[: len(cards)])
    if similarity.knows_members and reached < _STANDS_IN * max(fit.score for fit in row):
        return None
    return chosen.id
