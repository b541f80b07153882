"""Split a query into needs: clauses that each ask for one thing. Called by `plan.py`.

English rules over the words between clauses; quoted spans are never cut. A query in which they
find nothing, such as one in another language, is one need. Sentences that ask for nothing ("I am
in Lyon next week.") are context, which `FillArguments` sees in the query.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolplanner_core.llm.offline.mentions import Mention, find_mentions
from toolplanner_core.llm.offline.similarity import NeedFit, Similarity, subject_words
from toolplanner_core.prompts.render import ToolkitCard
from toolplanner_core.words.tables import pattern, spelled, words

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
