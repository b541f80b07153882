"""Split a query into needs, and make and revise plans by rule.

English rules over the words between clauses; quoted spans are never cut. A query in which they
find nothing, such as one in another language, is one need. Sentences that ask for nothing ("I am
in Lyon next week.") are context, which `FillArguments` sees in the query.

One step per need, each with the toolkit that fits it best; a need that none fits is left out and
named as unmet. A step that fetches an input is put first where a toolkit cannot do without one
that the query does not hold.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.plan import Plan, Step
from toolplanner_core.llm.offline.mentions import Mention, find_mentions
from toolplanner_core.llm.offline.similarity import NeedFit, Similarity, card_text, subject_words
from toolplanner_core.llm.offline.tables import pattern, spelled, table, words
from toolplanner_core.prompts.make_plan import MakePlan, Replan, plan_json
from toolplanner_core.prompts.render import ToolkitCard
from toolplanner_core.words.query_clarity import unclear_parts

_SURE = 0.5
"""Share of a half's telling words that its toolkit must have in its own text."""


class Need(NamedTuple):
    """One thing a query asks for.

    Attributes:
        text: its words without connectors and politeness.
        start: where it stands in the query.
    """

    text: str
    start: int


def split_needs(query: str) -> list[Need]:
    """The needs of a query, in order; never empty unless the query is blank."""
    masked = _mask(query)
    sentences = [list(_clauses(masked, start, end)) for start, end in _sentences(masked)]
    asks = any(_asks(masked[a:b]) for pieces in sentences for a, b in pieces)
    needs: list[Need] = []
    for pieces in sentences:
        wanted = False
        for a, b in pieces:
            # A noun phrase goes on with the request before it: "the weather in Paris and the time".
            # Where nothing is asked ("weather in Paris, time in Tokyo"), all but statements count.
            goes_on = asks and wanted and _is_noun_clause(masked[a:b])
            is_bare = not asks and not pattern("statement").match(masked[a:b])
            wanted = _asks(masked[a:b]) or goes_on or is_bare
            if wanted:
                needs.extend(_spread(_trimmed(query, a, b)))
    needs = [need for need in needs if re.search(r"\w", need.text)]
    whole = query.strip()
    return needs or ([Need(whole, query.find(whole[0]))] if whole else [])


def _mask(query: str) -> str:
    """The query with quoted spans and dots of numbers made harmless, of the same length."""
    text = pattern("masked").sub(lambda match: "x" * len(match.group()), query)
    return re.sub(r"(?<=\d),(?=\s?-?\d)", "_", text)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in pattern("sentence").finditer(text):
        if not pattern("abbreviation").search(text[: match.start()][-8:]):
            yield start, match.start()
            start = match.end()
    yield start, len(text)


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for match in pattern("connector").finditer(text, start, end):
        left, right = text[at : match.start()], text[match.end() : end]
        if pattern("lead").sub("", left).strip() and _starts_clause(right, left, match.group()):
            yield at, match.start()
            at = match.end()
    yield at, end


def _starts_clause(right: str, left: str, connector: str) -> bool:
    """Whether a new clause begins after a connector."""
    if pattern("wish").match(right):
        return True
    bare, word = _first_word(right)
    rest = bare[len(word) :].strip()
    if word in words("commands"):
        return bool(rest) and not re.match(r"(?:of|for|in|from|is|prices?|rates?)\b", rest)
    if word in words("askers"):
        is_listing = connector.strip() == ","
        return bool(rest) and not (is_listing and word in ("which", "who", "where", "when"))
    if not word or not _is_noun_clause(bare) or len(bare.split()) < 2:
        return False
    has_complement = bool(pattern("complement").search(left))
    if pattern("noun_clause").match(bare):
        return has_complement or _asks(left)
    # "weather in Paris and gas prices in Lyon", but not "times of sunrise and sunset in Lyon".
    return has_complement and bool(pattern("complete").search(left))


def _first_word(text: str) -> tuple[str, str]:
    """A clause without its adverbs, and its first word, "" if it begins otherwise."""
    bare = pattern("adverbs").sub("", text)
    first = re.match(r"[A-Za-z']+", bare)
    return bare, first.group().lower() if first else ""


def _is_noun_clause(text: str) -> bool:
    bare, _ = _first_word(text)
    return bool(pattern("noun_clause").match(bare) or pattern("bare_clause").match(bare))


def _asks(text: str) -> bool:
    """Whether a clause asks for something: a question, a command, a wish."""
    bare, word = _first_word(text.strip())
    is_wish = bare.rstrip().endswith("?") or pattern("wish").match(bare)
    return bool(is_wish) or word in words("commands") or word in words("askers")


def _trimmed(query: str, start: int, end: int) -> Need:
    lead = pattern("lead").match(query[start:end])
    begin = start + (lead.end() if lead else 0)
    begin = begin if re.search(r"\w", query[begin:end]) else start
    text = re.sub(r"^(?:[\s,:;]|-(?!\d))+", "", query[begin:end])
    return Need(text.rstrip(" ,:;-.?!"), end - len(text))


def _spread(need: Need) -> Iterator[Need]:
    """One need per name where the same is asked of several: "weather in Paris and Rome"."""
    paired = pattern("paired").search(need.text)
    group = [] if paired else _listed(need.text, find_mentions(need.text))
    if len(group) < 2:
        yield need
        return
    for mention in group:
        text = need.text[: group[0].start] + mention.text + need.text[group[-1].end :]
        yield Need(" ".join(text.split()), need.start)


def _listed(text: str, mentions: tuple[Mention, ...]) -> list[Mention]:
    """Names of one sort in a list joined by commas and "and", introduced by a preposition."""
    group: list[Mention] = []
    sorts = spelled("sorts")
    for mention in (mention for mention in mentions if mention.kind in sorts):
        between = text[group[-1].end : mention.start] if group else ""
        is_next = pattern("next_in_list").fullmatch(between)
        if group and is_next and sorts[group[0].kind] == sorts[mention.kind]:
            group.append(mention)
        elif len(group) < 2:
            opens = {mention.unit, mention.preposition} & words(f"opens_{mention.kind}")
            group = [mention] if opens else []
    # "Lyon, France" is one place, "Lyon and Paris" are two.
    has_and = bool(group) and " and " in text[group[0].end : group[-1].end]
    return group if has_and else []


def split_by_domain(
    needs: Sequence[Need], cards: Sequence[ToolkitCard], similarity: Similarity
) -> list[Need]:
    """The needs, those cut in two whose halves surely are of different toolkits: "calories of
    salmon and weather in Oslo", but not "museums and cafes in Rome"."""
    split: list[Need] = []
    for need in needs:
        cuts = pattern("joined").finditer(_mask(need.text))
        apart = (_apart(need, cut, cards, similarity) for cut in cuts)
        split.extend(next((halves for halves in apart if halves), (need,)))
    return split


def _apart(
    need: Need, cut: re.Match[str], cards: Sequence[ToolkitCard], similarity: Similarity
) -> tuple[Need, ...]:
    """The two needs of a cut, none if they are better left together."""
    left, right = need.text[: cut.start()], need.text[cut.end() :]
    if min(len(left.split()), len(right.split())) < 2 or not cards:
        return ()
    command = left.split(maxsplit=1)[0]
    is_command = command.lower() in words("commands")
    whole_left = _with_tail(left, right)
    if is_command and not subject_words(right).telling and find_mentions(right):
        right = f"{command} {right}"  # "convert 5 miles to km and 10 EUR to USD"
    halves = (Need(whole_left, need.start), Need(right, need.start + cut.end()))
    if not all(subject_words(half.text).telling for half in halves):
        return ()
    rows = similarity.fits([half.text for half in halves], cards)
    first, second = (_surely(row) for row in rows)
    if first is not None and second is not None:
        return halves if first != second else ()
    # "Write a poem and weather in Lyon": a command of its own that no toolkit can do.
    is_foreign = not any(fit.is_related for fit in rows[0])
    stands = is_command and is_foreign and second is not None
    return (Need(left, need.start), halves[1]) if stands else ()


def _with_tail(left: str, right: str) -> str:
    """ "Parks" of "parks and beaches near Lyon" are near Lyon too."""
    tail = pattern("tail").search(right)
    has_own = any(mention.kind != "lower" for mention in find_mentions(left))
    return left if tail is None or has_own or pattern("tail").search(left) else left + tail.group()


def _surely(row: Sequence[NeedFit]) -> int | None:
    """The place of the toolkit that a half surely means, None if that is not sure."""
    at = max(range(len(row)), key=lambda index: (row[index].score, -index))
    return at if row[at].is_related and row[at].covered >= _SURE else None


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


_ALIKE = 0.89
"""Share of the best fit from which a toolkit that a person curated is taken before it. Over the
45,284 APIs of ToolBench toolkits of one subject reach .9 and more of the best ("Recipes", "Recipes
(food)", "Recipes (nutrition)"; "Currency exchange", "Currencies"), those of another at most .87
("Power conversion" for "Convert 250 EUR to USD")."""
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
    """The card that fits best, or one nearly so that a person curated; None when even the best has
    nothing to do with the need."""
    best = max(range(len(cards)), key=lambda at: (row[at].score, -at), default=None)
    if best is None or not row[best].is_related:
        return None
    alike = [at for at, fit in enumerate(row[: len(cards)]) if _is_alike(fit, row[best])]
    return cards[max(alike, key=lambda at: (cards[at].is_curated, row[at].score, -at))]


def _is_alike(fit: NeedFit, best: NeedFit) -> bool:
    return fit.is_related and fit.score >= _ALIKE * best.score


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
