"""Make and revise plans by rule. Called by `planner.py` for `MakePlan` and `Replan`.

One step per need, each with the toolkit that fits it best; a need that none fits is left out and
named as unmet. A step that fetches an input is put first where a toolkit cannot do without one
that the query does not hold.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.plan import Plan, Step
from toolplanner_core.llm.offline.mentions import find_mentions
from toolplanner_core.llm.offline.needs import Need, split_by_domain, split_needs
from toolplanner_core.llm.offline.similarity import NeedFit, Similarity, card_text, subject_words
from toolplanner_core.prompts.make_plan import MakePlan
from toolplanner_core.prompts.plan_answer import plan_json
from toolplanner_core.prompts.render import ToolkitCard
from toolplanner_core.prompts.replan import Replan
from toolplanner_core.words.tables import pattern, table, words
from toolplanner_core.words.unclear import unclear_parts

Input = dict[str, str]
"""A kind of value that some toolkits cannot do without and others give, as a row of
`inputs.json`."""


def refers_back(text: str) -> str:
    """The words by which a need speaks of something that an earlier one brings, "" if none."""
    bare = pattern("dummy").sub("", text)
    found = pattern("there").search(bare) or pattern("thing").search(bare)
    return found[0] if found else ""


def waits_for(index: int, needs: Sequence[str]) -> int | None:
    """The earlier need that a need's pronoun means; None when the query itself says what is meant.

    "The weather in Lyon and the time there" are independent: "there" is Lyon. "The nearest beach
    to Lyon and the weather there" are not.
    """
    if index == 0:
        return None
    bare = pattern("dummy").sub("", needs[index])
    # A need without any value of its own that speaks of "the parcel": the one before brings it.
    speaks_of_it = pattern("the_noun").search(bare) and not find_mentions(bare)
    if speaks_of_it or pattern("thing").search(bare):
        return index - 1
    if not pattern("there").search(bare):
        return None
    for earlier in range(index - 1, -1, -1):
        if pattern("unknown").search(needs[earlier]):
            return earlier
        if any(mention.kind in words("place_kinds") for mention in find_mentions(needs[earlier])):
            return None
    return None


def input_of(card: ToolkitCard) -> Input | None:
    """What a toolkit cannot do without, by its description; None for most."""
    text = card_text(card)
    for kind in table("inputs"):
        has = {key: re.search(kind[key], text) for key in ("wants", "gives", "otherwise")}
        if has["wants"] and not has["gives"] and not has["otherwise"]:
            return kind
    return None


def gives_input(card: ToolkitCard, kind: Input) -> bool:
    """Whether a toolkit gives such a value."""
    return bool(re.search(kind["gives"], card_text(card)))


_STANDS_IN = 0.4
"""Share of the fit of the toolkit that failed which one in its place must reach; chosen by trial in
the demo world (crime statistics and neighbourhood safety may stand in for each other, parcel
carriers and owners of IP addresses may not). The words of toolkits alone are too few for it."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Draft:
    """A need and the toolkit that fits it best, None when none has to do with it; the drafts that
    it waits for."""

    goal: str
    start: int
    card: ToolkitCard | None
    waits: list["_Draft"] = field(default_factory=list["_Draft"])


def make_plan(question: MakePlan, similarity: Similarity) -> dict[str, Any]:
    """The answer's JSON; needs that no toolkit fits are `unmet`."""
    query, cards = question.query, question.toolkits
    if unclear := unclear_parts(query):
        return plan_json(Plan(steps=(), unmet=tuple(unclear)))
    needs = split_by_domain(split_needs(query), cards, similarity)
    rows = similarity.fits([need.text for need in _telling(needs)], cards)
    drafts = [
        _Draft(goal=need.text, start=need.start, card=best_of(row, cards))
        for need, row in zip(_telling(needs), rows, strict=True)
    ]
    wanted = _merged(query, drafts)
    goals = [draft.goal for draft in wanted]
    planned: list[_Draft] = []
    for index, draft in enumerate(wanted):
        awaited = waits_for(index, goals)
        if draft.card is None or (awaited is not None and wanted[awaited] not in planned):
            continue  # nothing fits, or what it speaks of will not be found
        draft.waits += [wanted[awaited]] if awaited is not None else []
        planned += [*_input_for(draft, draft.card, planned, question, similarity), draft]
    planned = planned[: question.max_steps]
    unmet = (draft.goal for draft in wanted if draft not in planned)
    return plan_json(Plan(steps=_numbered(planned), unmet=tuple(dict.fromkeys(unmet))))


def _telling(needs: Sequence[Need]) -> Sequence[Need]:
    """Without clauses that ask for nothing of their own: "please assist me with that"; but "how big
    is it" is a question, and unmet where nothing can tell."""

    def tells(text: str) -> bool:
        is_question = text.split(maxsplit=1)[0].lower() in words("askers")
        return is_question or bool(subject_words(text).words) or _has_values(text)

    return [need for need in needs if tells(need.text)] or needs


def best_of(row: Sequence[NeedFit], cards: Sequence[ToolkitCard]) -> ToolkitCard | None:
    """The card that fits best, None when even that has nothing to do with the need."""
    index = max(range(len(cards)), key=lambda at: (row[at].score, -at), default=None)
    return cards[index] if index is not None and row[index].is_related else None


def _merged(query: str, drafts: Iterable[_Draft]) -> list[_Draft]:
    """Needs that are served by one call are one step: "the latitude and the longitude of Lyon"."""
    merged: list[_Draft] = []
    for draft in drafts:
        last = merged[-1] if merged else draft
        is_more = (
            last is not draft
            and draft.card is not None
            and draft.card == last.card
            and not (_has_values(draft.goal) and _has_values(last.goal))
            and not refers_back(draft.goal)
        )
        if is_more:
            whole = query[last.start : draft.start + len(draft.goal)]
            is_near = draft.start > last.start and not {".", "?"} & set(whole)
            last.goal = whole if is_near else f"{last.goal} and {draft.goal}"
        elif all((draft.goal, draft.card) != (other.goal, other.card) for other in merged):
            merged.append(draft)
    return merged


def _has_values(text: str) -> bool:
    """Whether a need says what an argument can be made of."""
    return any(mention.kind != "lower" for mention in find_mentions(text))


def _input_for(
    draft: _Draft,
    card: ToolkitCard,
    planned: Sequence[_Draft],
    question: MakePlan,
    similarity: Similarity,
) -> list[_Draft]:
    """Make a step wait for the input it cannot do without; a step for it if none gives it yet."""
    kind = input_of(card)
    if kind is None or any(m.kind == kind["mention"] for m in find_mentions(question.query)):
        return []
    own = _place_of(draft.goal)
    place = own or _place_of(question.query)
    for giver in reversed(planned):
        if giver.card is not None and gives_input(giver.card, kind):
            if not own or own in giver.goal:
                draft.waits += [giver] if giver not in draft.waits else []
                return []
            break
    givers = [other for other in question.toolkits if gives_input(other, kind) and other != card]
    if not givers or not place or draft.waits:
        return []
    goal = kind["goal"].format(place=place)
    row = similarity.fits([goal], givers)[0]
    best = max(range(len(givers)), key=lambda at: (row[at].score, -at))
    helper = _Draft(goal=goal, start=0, card=givers[best])
    draft.waits.append(helper)
    return [helper]


def _place_of(text: str) -> str:
    """The first place a text names, as it is written, with its state or country."""
    mentions = find_mentions(text)
    for mention, follows in zip(mentions, (*mentions[1:], None), strict=False):
        if mention.kind in ("name", "lower", "country"):
            is_tail = follows is not None and text[mention.end : follows.start].strip() == ","
            return text[mention.start : follows.end if is_tail and follows else mention.end]
    return ""


def _numbered(drafts: Sequence[_Draft]) -> tuple[Step, ...]:
    numbers = {id(draft): number for number, draft in enumerate(drafts, 1)}
    return tuple(
        Step(
            number=numbers[id(draft)],
            goal=draft.goal,
            toolkit=draft.card.id if draft.card else None,
            needs=tuple(sorted(numbers[id(d)] for d in draft.waits if id(d) in numbers)),
        )
        for draft in drafts
    )


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
