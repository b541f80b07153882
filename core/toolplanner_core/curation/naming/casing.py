"""How a word is written: "SMS", "YouTube", "Bitcoin", but "weather".

Learned from the catalogue itself, so it knows any trade and language: what running text writes with
capitals in the middle of a sentence is a proper name or an abbreviation.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from toolplanner_core.words.stems import without_possessive
from toolplanner_core.words.word_splitting import words

_HTTP_METHODS = frozenset(("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"))
"""Not a way to write "posts"."""
_WELL_KNOWN = 10
"""What so many tools write with capitals inside is a proper name, though as many do not."""
_SHORTEST_WHOLE = 3
"""Letters; "ID" is often a hump of a longer word."""


class Casing:
    """The usual spelling of each word.

    Args:
        texts: plain running text, each with the tool it belongs to; a spelling counts once a tool.
    """

    def __init__(self, texts: Iterable[tuple[int, str]]) -> None:
        forms = _count_forms(texts)
        self._spelling: dict[str, str] = {}
        self._well_known: set[str] = set()
        for lower, counts in forms.items():
            chosen, times = counts.most_common(1)[0]
            others = counts.total() - times
            is_humped = not chosen[1:].islower() and times >= max(_WELL_KNOWN, counts[lower])
            if chosen != lower and (times > others or is_humped):
                self._spelling[lower] = chosen
                if is_humped and chosen[:1].isupper() and not chosen.isupper():
                    self._well_known.add(lower)
        self.whole = frozenset(
            lower
            for lower, form in self._spelling.items()
            if "-" in form or (form[1:] != form[1:].lower() and len(form) > _SHORTEST_WHOLE)
        )
        """Lower-case words with humps or hyphens inside that belong together ("youtube")."""

    def write(self, word: str) -> str:
        """The word as running text would write it: lower case unless it is a name."""
        lower = without_possessive(word.lower())
        found = self._spelling.get(lower)
        if found is not None:
            return found
        if len(lower) > 3 and lower.endswith("s") and lower[:-1] in self._spelling:
            return f"{self._spelling[lower[:-1]]}s"
        if any(letter.isdigit() for letter in word) and word.isupper():
            return word
        return lower

    def is_well_known(self, word: str) -> bool:
        """Whether the word is such as "TikTok", and "Tik Tok" is it, too."""
        return word.lower() in self._well_known

    def is_name(self, word: str) -> bool:
        """Whether the word keeps its capitals inside a sentence."""
        return word.lower() in self._spelling


def _count_forms(texts: Iterable[tuple[int, str]]) -> dict[str, Counter[str]]:
    """How many tools write each word how, counted where the spelling means something."""
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    seen: set[tuple[int, str]] = set()
    for tool, text in texts:
        # Text in capitals, and Text In Title Case, says nothing about its words.
        for stretch in words(text):
            lowered = sum(1 for word in stretch if word.islower())
            if lowered * 2 < len(stretch) or lowered == 0:
                continue
            for position, word in enumerate(stretch):
                is_capital_only = word[1:].islower() or len(word) == 1
                if (position == 0 and is_capital_only) or (tool, word) in seen:
                    continue
                if word in _HTTP_METHODS:
                    continue
                seen.add((tool, word))
                forms[word.lower()][word] += 1
    return {
        lower: counts for lower, counts in forms.items() if counts.total() >= 2 or len(lower) <= 5
    }
