"""Which need waits for which: pronouns, and inputs that only another step gives. Called by
`plan.py`."""

import re
from collections.abc import Sequence

from toolplanner_core.llm.offline.mentions import find_mentions
from toolplanner_core.llm.offline.similarity import card_text
from toolplanner_core.llm.offline.tables import pattern, table, words
from toolplanner_core.prompts.render import ToolkitCard

Input = dict[str, str]
"""A kind of value that some toolkits cannot do without and others give, as a row of
`inputs.json`."""


def refers_back(text: str) -> bool:
    """Whether a need speaks of something that an earlier one brings."""
    bare = pattern("dummy").sub("", text)
    return bool(pattern("there").search(bare) or pattern("thing").search(bare))


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
    return next(
        (
            kind
            for kind in table("inputs")
            if re.search(kind["wants"], text)
            and not re.search(kind["gives"], text)
            and not re.search(kind["otherwise"], text)
        ),
        None,
    )


def gives_input(card: ToolkitCard, kind: Input) -> bool:
    """Whether a toolkit gives such a value."""
    return bool(re.search(kind["gives"], card_text(card)))
