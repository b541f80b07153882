"""What the names of a group's APIs have in common beside their subject: what is done, and to what
general thing: "deletion" and "property" of deleteIssueProperty and deleteCommentProperty.

Called by the rules for names.
"""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.curation.naming.phrase_cutting import plain
from toolplanner_core.curation.naming.phrases import PhraseBook
from toolplanner_core.curation.naming.verb_nouns import OUTCOMES, THINGS
from toolplanner_core.words.stems import plural
from toolplanner_core.words.word_splitting import identifier_words
from toolplanner_core.workspace.catalogue import ApiText

_AGREED = 0.6
_GIVEN = {
    **dict.fromkeys(("id", "ids", "uid", "uuid"), "by ID"),
    **dict.fromkeys(("name", "names", "username"), "by name"),
    **dict.fromkeys(("date", "dates", "day"), "by date"),
    **{word: f"by {word}" for word in ("category", "code", "country", "city", "type", "email")},
}
"""What the last word of names with "by" in them says of all of a group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedActions:
    """What most names of a group say; "" where they do not agree.

    Attributes:
        outcome: what they begin with, as a noun: "deletion".
        thing: what they say after it, in the singular, if it is as general as "property".
        told_by: what they go by: "by ID".
    """

    outcome: str
    thing: str
    told_by: str

    @property
    def of_thing(self) -> str:
        """Both in words: "property deletion", "lists"; "" if there is neither."""
        if self.thing and not self.outcome:
            return plural(self.thing)
        return f"{self.thing} {self.outcome}".strip()

    @property
    def is_subject(self) -> bool:
        """Whether the thing says enough without a vendor."""
        return " " in self.thing


def find_shared_actions(
    book: PhraseBook, apis: Sequence[ApiText], members: Sequence[int]
) -> SharedActions:
    """What most names of a group do, and to what."""
    first: Counter[str] = Counter()
    said: Counter[str] = Counter()
    given: Counter[str] = Counter()
    for i in members:
        runs = identifier_words(plain(apis[i].name), frozenset())
        pieces = (piece for run in runs for word in run for piece in book.glued.split(word))
        if written := [piece.lower() for piece in pieces]:
            first[OUTCOMES.get(written[0], "")] += 1
            # "GraphQL" comes in two.
            pairs = map("".join, itertools.pairwise(written))
            # In their order, so that of equally many the same is first in each process.
            spoken = [*(written[1:] or written), *pairs]
            said.update(dict.fromkeys((THINGS[word] for word in spoken if word in THINGS), 1))
            given[_GIVEN.get(_after(written, "by"), "")] += 1
    return SharedActions(
        outcome=_agreed(first, len(members)),
        thing=_agreed(said, len(members)),
        told_by=_agreed(given, len(members)),
    )


def _after(written: Sequence[str], word: str) -> str:
    """The last word after a word; "" if it is not there or the last one."""
    return written[-1] if word in written[:-1] else ""


def _agreed(said: Counter[str], members: int) -> str:
    best, times = said.most_common(1)[0] if said else ("", 0)
    return best if times >= _AGREED * members else ""
