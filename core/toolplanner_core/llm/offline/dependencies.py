"""Which need waits for which: pronouns, and inputs that only another step gives. Called by
`plan.py`."""

import re
from collections.abc import Sequence
from datetime import datetime

from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.mentions import find_mentions
from toolplanner_core.prompts.render import ToolkitCard

_PLACE_WORDS = r"(?:place|city|town|area|location|spot|region|country|address|destination)"
_THERE = re.compile(
    rf"\b(?:there(?!\s+(?:is|are|was|were|any|be|a|an)\b)|nearby|around here|that {_PLACE_WORDS}|"
    rf"this {_PLACE_WORDS}|same {_PLACE_WORDS}|the {_PLACE_WORDS}\b(?!\s+(?:of|in|with|called)))",
    re.IGNORECASE,
)
_THING = re.compile(
    r"\b(?:its|them|those|these|their|(?:that|this|the same) (?!is\b|you\b|i\b|"
    r"week\b|month\b|year\b|"
    r"weekend\b|morning\b|afternoon\b|evening\b|the\b)[a-z]+|the (?:result|results|first one|found|"
    r"resulting|converted|amount|total|cheapest one|nearest one|best one)|"
    r"(?:of|for|to|in|into|about|with|convert|translate|track|ship|from|near|at|around|"
    r"does|is|on|using) "
    r"(?:it|that|this)\b(?!\s+(?:is|raining|going|rain|snow|cold|warm|hot|week|month|year|weekend)))",
    re.IGNORECASE,
)
_THE_NOUN = re.compile(r"\bthe [a-z]+(?:\s*$|\s+(?:is|are|was|now|be|arrive|cost))", re.IGNORECASE)
"""A need without any value of its own that speaks of "the parcel": the one before brings it."""
_DUMMY = re.compile(
    r"\b(?:what time is it|is it (?:raining|snowing|sunny|cold|warm|hot|safe|going)|"
    r"will it (?:rain|snow|be))",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"\b(?:capital|nearest|closest|cheapest|best|largest|biggest|highest|which|where|coordinates|"
    r"latitude|zip|postal|postcode|airport|find (?:me )?(?:a|an|some)|most|suggest|recommend|"
    r"location of|locate)\b",
    re.IGNORECASE,
)
_PLACES = frozenset(["name", "lower", "country", "state", "zip", "coordinates"])


def has_place(text: str, now: datetime) -> bool:
    """Whether a text names a place."""
    return any(mention.kind in _PLACES for mention in find_mentions(text, now))


def refers_back(text: str) -> bool:
    """Whether a need speaks of something that an earlier one brings."""
    bare = _DUMMY.sub("", text)
    return bool(_THERE.search(bare) or _THING.search(bare))


def waits_for(index: int, needs: Sequence[str], now: datetime) -> int | None:
    """The earlier need that a need's pronoun means; None when the query itself says what is meant.

    "The weather in Lyon and the time there" are independent: "there" is Lyon. "The nearest beach
    to Lyon and the weather there" are not.
    """
    if index == 0:
        return None
    bare = _DUMMY.sub("", needs[index])
    if _THING.search(bare) or (_THE_NOUN.search(bare) and not find_mentions(bare, now)):
        return index - 1
    if not _THERE.search(bare):
        return None
    for earlier in range(index - 1, -1, -1):
        if _UNKNOWN.search(needs[earlier]):
            return earlier
        if has_place(needs[earlier], now):
            return None
    return None


def card_text(card: ToolkitCard) -> str:
    """What a card says of itself."""
    return f"{card.name}. {card.description}"


def wanted_input(card: ToolkitCard) -> tables.Input | None:
    """What a toolkit cannot do without, by its description; None for most."""
    text = card_text(card)
    for kind in tables.inputs():
        if kind.wants.search(text) and not kind.gives.search(text):
            if kind.otherwise.search(text):
                continue
            return kind
    return None


def gives_input(card: ToolkitCard, kind: tables.Input) -> bool:
    """Whether a toolkit gives such a value."""
    return bool(kind.gives.search(card_text(card)))
