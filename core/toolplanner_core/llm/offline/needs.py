"""Split a query into needs: clauses that each ask for one thing. Called by `plan.py`.

English rules over the words between clauses; quoted spans are never cut. A query in which they
find nothing, such as one in another language, is one need. Sentences that ask for nothing ("I am
in Lyon next week.") are context, which `FillArguments` sees in the query.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.mentions import Mention, find_mentions


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """One thing a query asks for.

    Attributes:
        text: its words without connectors and politeness.
        start: where it stands in the query.
    """

    text: str
    start: int


_SENTENCE = re.compile(r"(?<=[.?!])[\"'”’)]?\s+(?=\S)|\s*[;\n]+\s*|(?<=[?!])(?=[A-Z])")
_ABBREVIATION = re.compile(r"\b(?:St|Mt|Ft|Mr|Mrs|Ms|Dr|e\.g|i\.e|vs|No|U\.S|a\.m|p\.m|etc)\.$")
_CONNECTOR = re.compile(
    r"\s*(?:,\s*)?\b(?:and then|and also|and finally|and after that|after that|and|then|also|"
    r"as well as|"
    r"plus|but also|but|followed by|along with|together with)\b\s*,?\s*|\s*,\s*|\s+[-–—]\s+",
    re.IGNORECASE,
)
_ADVERBS = (
    r"(?:(?:please|also|then|finally|afterwards|lastly|additionally|furthermore|moreover|next|first|"
    r"firstly|secondly|second|third|if so|if possible|after that|in addition|besides|so|and|"
    r"based on that|with that|for that|maybe|just|kindly|now|or|hi|hello|hey|ok|okay)\b[\s,:!]*)*"
)
_POLITE = (
    r"(?:(?:can|could|would|will) (?:you|we|i)(?: please| also| kindly)*"
    r"(?: tell me| help me)?(?: to)?|"
    r"(?:i|we)(?:'d| would)(?: also| really)* (?:like|love|want|need)(?: to)?(?: also)?"
    r"(?: know| see|"
    r" find out| check| get| learn| have)?|"
    r"(?:i|we)(?:'d|'m| am| would| also| really| just)* (?:need|want|looking|wish|wonder|"
    r"wondering|"
    r"curious|interested)(?: to| for| in| about| if| you to)*(?: also)?"
    r"(?: know| see| find out| check|"
    r" get| learn| have)?|"
    r"i have to(?: know)?|let me know|tell me|show me|give me|let's|help me(?: to)?|"
    r"do you know|please|provide me(?: with)?|find out|"
    r"it would be (?:great|helpful|nice) if you could)"
)
_LEAD = re.compile(rf"^{_ADVERBS}(?:{_POLITE}\b[\s,:]*)*(?:about\s+)?", re.IGNORECASE)
_WISH = re.compile(rf"^{_ADVERBS}{_POLITE}\b", re.IGNORECASE)
_NOUN_CLAUSE = re.compile(
    r"^(?:the|its|their|any|a list of|an? |some|all|how|current|today's|tomorrow's|"
    r"nearby|my)\b\s*\w+",
    re.IGNORECASE,
)
_BARE_CLAUSE = re.compile(
    r"^[a-z][a-z-]+(?:\s[a-z-]+){0,3}\s(?:in|for|of|from|at|near|between|on|around|to)\s", re.ASCII
)
_COMPLEMENT = re.compile(r"\b(?:in|for|of|from|at|near|between|on|around|to)\s\S")
_COMPLETE = re.compile(
    r"(?:[A-Z0-9][\w.%°€$-]*|today|tomorrow|tonight|there|now|week|month|year|xx+)\s*$"
)
_PAIRED = re.compile(
    r"\b(?:between|distance|compare|comparison|versus|vs|from|route|directions|difference|both|"
    r"flights?|trains?|drive|driving)\b",
    re.IGNORECASE,
)
_STATEMENT = re.compile(r"\s*(?:i|i'm|i've|we|we're|my|our|he|she|they)\b", re.IGNORECASE)
_SPREAD_KINDS = {
    "name": "place",
    "country": "place",
    "company": "stock",
    "ticker": "stock",
    "language": "language",
    "currency": "currency",
}


def split_needs(query: str, now: datetime) -> list[Need]:
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
            wanted = _asks(masked[a:b]) or (
                _is_noun_clause(masked[a:b])
                if asks and wanted
                else not asks and not _STATEMENT.match(masked[a:b])
            )
            if wanted:
                needs.extend(_spread(_trimmed(query, a, b), now))
    needs = [need for need in needs if re.search(r"\w", need.text)]
    if not needs and query.strip():
        needs = [Need(text=query.strip(), start=query.find(query.strip()[0]))]
    return needs


def _mask(query: str) -> str:
    """The query with quoted spans and dots of numbers made harmless, of the same length."""
    text = re.sub(
        r"[\"“«][^\"”»]{1,300}[\"”»]|(?<!\w)'[^'\n]{1,200}'(?!\w)",
        lambda match: "x" * len(match.group()),
        query,
    )
    return re.sub(r"(?<=\d),(?=\s?-?\d)", "_", text)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _SENTENCE.finditer(text):
        if _ABBREVIATION.search(text[: match.start()][-8:]):
            continue
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for match in _CONNECTOR.finditer(text, start, end):
        left, right = text[at : match.start()], text[match.end() : end]
        if _LEAD.sub("", left).strip() and _starts_clause(right, left, match.group()):
            yield at, match.start()
            at = match.end()
    yield at, end


def _starts_clause(right: str, left: str, connector: str) -> bool:
    """Whether a new clause begins after a connector."""
    bare = re.sub(rf"^{_ADVERBS}", "", right, flags=re.IGNORECASE)
    if _WISH.match(bare):
        return True
    first = re.match(r"[A-Za-z']+", bare)
    if first is None:
        return False
    word = first.group().lower()
    rest = bare[first.end() :].strip()
    is_listing = connector.strip() == ","
    if word in tables.words("commands"):
        return bool(rest) and not re.match(r"(?:of|for|in|from|is|prices?|rates?)\b", rest)
    if word in tables.words("askers"):
        return bool(rest) and not (word in ("which", "who", "where", "when") and is_listing)
    if not _is_noun_clause(bare) or len(bare.split()) < 2:
        return False
    if _NOUN_CLAUSE.match(bare):
        return _asks(left) or bool(_COMPLEMENT.search(left))
    # "weather in Paris and gas prices in Lyon", but not "times of sunrise and sunset in Lyon".
    return bool(_COMPLEMENT.search(left) and _COMPLETE.search(left))


def _is_noun_clause(text: str) -> bool:
    bare = re.sub(rf"^{_ADVERBS}", "", text, flags=re.IGNORECASE)
    if re.match(r"(?:the (?:same|other|rest|like)|all of|some of)\b", bare, re.IGNORECASE):
        return False
    return bool(_NOUN_CLAUSE.match(bare) or _BARE_CLAUSE.match(bare))


def _asks(text: str) -> bool:
    """Whether a clause asks for something: a question, a command, a wish."""
    bare = re.sub(rf"^{_ADVERBS}", "", text.strip(), flags=re.IGNORECASE)
    if bare.rstrip().endswith("?") or _WISH.match(bare):
        return True
    first = re.match(r"[A-Za-z']+", bare)
    if first is None:
        return False
    word = first.group().lower()
    return word in tables.words("commands") or word in tables.words("askers")


def _trimmed(query: str, start: int, end: int) -> Need:
    lead = _LEAD.match(query[start:end])
    begin = start + (lead.end() if lead else 0)
    text = query[begin:end]
    if not re.search(r"\w", text):
        begin, text = start, query[start:end]
    begin += len(text) - len(text.lstrip(" ,:;-"))
    return Need(text=text.strip(" ,:;-").rstrip(".?! "), start=begin)


def _spread(need: Need, now: datetime) -> Iterator[Need]:
    """One need per name where the same is asked of several: "weather in Paris and Rome"."""
    group = [] if _PAIRED.search(need.text) else _listed(need.text, find_mentions(need.text, now))
    if len(group) < 2:
        yield need
        return
    for mention in group:
        text = need.text[: group[0].start] + mention.text + need.text[group[-1].end :]
        yield Need(text=" ".join(text.split()), start=need.start)


def _listed(text: str, mentions: tuple[Mention, ...]) -> list[Mention]:
    """Names of one sort in a list joined by commas and "and", introduced by a preposition."""
    group: list[Mention] = []
    for mention in mentions:
        sort = _SPREAD_KINDS.get(mention.kind)
        if sort is None:
            continue
        between = text[group[-1].end : mention.start] if group else ""
        if (
            group
            and _SPREAD_KINDS[group[0].kind] == sort
            and re.fullmatch(r"\s*(?:,|,?\s*\band)\s*(?:in\s+|for\s+|of\s+|the\s+)*", between)
        ):
            group.append(mention)
        elif len(group) < 2:
            opens = mention.unit in ("in", "at", "near", "around") or (
                mention.unit in ("of", "for") and mention.kind != "name"
            )
            opens = opens or (
                mention.kind in ("language", "currency") and mention.preposition in ("to", "into")
            )
            group = [mention] if opens else []
    # "Lyon, France" is one place, "Lyon and Paris" are two.
    has_and = bool(group) and " and " in text[group[0].end : group[-1].end]
    return group if has_and else []
