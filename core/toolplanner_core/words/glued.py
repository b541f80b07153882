"""Take glued words apart: "retrieveallbankaccounts" is "retrieve all bank accounts".

Which words there are is learned from the running text of the catalogue itself, so any trade and
language is known; a list of English words such as `wordninja`'s would tear "openstreetmap" and
names of vendors, which documentation writes as one. Called by naming.

Source: the likeliest segmentation under a unigram model, Norvig 2009 in Beautiful Data, chapter 14.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable

from toolplanner_core.words.stop_words import FUNCTION_WORDS
from toolplanner_core.words.stretches import words

_SHORTEST = 9
"""Letters; shorter words are rarely glued."""
_LONGEST_PIECE = 16
_SHORTEST_UNKNOWN = 4
_BESIDE_UNKNOWN = 2
_SHORT = 2
"""Two pieces with no more letters side by side are what is left of a word."""
_KNOWN = 3
"""What so many tools write is a word."""


class GluedWords:
    """What running text writes.

    Args:
        texts: plain running text, each with the tool it belongs to; a word counts once a tool.
        is_word: of a word in lower case, whether people use it as it is ("encounter").
    """

    def __init__(
        self,
        texts: Iterable[tuple[int, str]],
        *,
        is_word: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._is_word = is_word
        seen = {(tool, word.lower()) for tool, text in texts for run in words(text) for word in run}
        counts = Counter(word for _, word in seen if word.isalpha())
        self.written = frozenset(counts)
        """All words, in lower case."""
        self._total = math.log(max(counts.total(), 1))
        self._cost = {
            word: self._total - math.log(n)
            for word, n in counts.items()
            if n >= _KNOWN and (len(word) > 2 or word in FUNCTION_WORDS)
        }
        self._found: dict[str, list[str]] = {}

    def split(self, word: str) -> list[str]:
        """The words in it; itself if it is one, or holds what is none."""
        lower = word.lower()
        if len(word) < _SHORTEST or not word.isalpha() or word.isupper() or lower in self._cost:
            return [word]
        if lower not in self._found:
            self._found[lower] = [] if self._is_word(lower) else self._likeliest(lower)
        return self._found[lower] or [word]

    def _cost_of(self, piece: str) -> float:
        return self._cost.get(piece, self._total + len(piece) * math.log(10))

    def _likeliest(self, word: str) -> list[str]:
        """Its pieces; one of them may be unknown if two others are not."""
        best: list[tuple[float, int]] = [(0.0, 0)]
        for end in range(1, len(word) + 1):
            options = [
                (best[begin][0] + self._cost_of(word[begin:end]), begin)
                for begin in range(max(0, end - _LONGEST_PIECE), end)
                if word[begin:end] in self._cost or end - begin >= _SHORTEST_UNKNOWN
            ]
            best.append(min(options, default=(math.inf, 0)))
        pieces: list[str] = []
        end = len(word)
        while end and best[end][0] < math.inf:
            begin = best[end][1]
            pieces.insert(0, word[begin:end])
            end = begin
        # "authorise" is not "author", "i" and "se".
        if any(max(map(len, pair)) <= _SHORT for pair in itertools.pairwise(pieces)):
            return []
        unknown = sum(piece not in self._cost for piece in pieces)
        is_safe = not unknown or (unknown == 1 and len(pieces) > _BESIDE_UNKNOWN)
        return pieces if is_safe else []
