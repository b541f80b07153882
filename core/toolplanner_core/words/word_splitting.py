"""Split names and running text into words.

Identifiers of every style (`getUserById`, "get_user-by.id", "/users/{id}"), lists of words without
punctuation, and words that are written together: "listallbanks" is "list all banks".
"""

import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from toolplanner_core.words.scripts import compile_with_marks, without_separators
from toolplanner_core.words.stop_words import FUNCTION_WORDS

_BREAKS = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z])"  # getUser -> get User
    r"|(?<=[A-Z])(?=[A-Z][a-z]{2})"  # HTTPServer -> HTTP Server, but not userIDs -> user I Ds
)
_HAS_SPACE = re.compile(r"\s")
_PATH_VARIABLE = re.compile(r"[{<:]([A-Za-z_]\w*)[}>]?")
_VERSION = re.compile(r"(?:^|(?<=[/\s_.-]))v\d+(?:\.\d+)*(?=[/\s_.-]|$)", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\W_]+")


def split_words(name: str) -> str:
    """The words of a name, joined by single spaces; letters keep their case and script.

    A name with blanks was written for people and keeps its capitals: "Send WhatsApp message".
    """
    if not _HAS_SPACE.search(name):
        name = _BREAKS.sub(" ", name)
    return _spaced(name)


def _spaced(name: str) -> str:
    # `\w` knows no marks: vowel signs of Tamil and Hindi would be taken for punctuation.
    return (_SEPARATORS.sub(" ", name) if name.isascii() else without_separators(name)).strip()


@lru_cache(maxsize=64)  # the APIs of a tool share its title
def words_of_title(title: str) -> str:
    """The words of a tool's title: "YouTube" stays, "FreePlanWithLimit" is taken apart."""
    broken = len(_BREAKS.findall(title))
    return split_words(title) if broken != 1 else _spaced(title)


def words_of_path(name: str) -> str:
    """The words of an API's name; paths lose version parts, variables become "by id"."""
    if "/" not in name:
        return split_words(name)
    # Taken apart before the blanks of "by" make it look like a name for people.
    named = _PATH_VARIABLE.sub(r"/by/\1/", _VERSION.sub("/", name))
    return split_words(named) or split_words(name)


def search_form(name: str) -> str:
    """A name for the full-text index: as written, then in words where that differs.

    The tokenizer splits at punctuation but not inside `getUserById`; with both forms people find
    it by "user" and by the exact name.
    """
    broken = _BREAKS.sub(" ", name)
    return name if broken == name else f"{name} {broken}"


_WORD_PATTERN = r"[^\W_]+(?:['’.+-][^\W_]+)*[+#]*"
_WORD = re.compile(_WORD_PATTERN)
_BREAK = re.compile(r"[.!?;:,()\[\]\"“”«»/\\\n\r\t•·–—&]+\s*|\s-\s")
_HUMPS_PATTERN = r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+"
_HUMPS = re.compile(_HUMPS_PATTERN)
_HAN = re.compile(r"[\u4e00-\u9fff\u30a0-\u30ff\uac00-\ud7af]+|[a-zA-Z0-9]+")
_HAS_HAN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


def split_camel_case(name: str) -> list[str]:
    """The pieces of an identifier, each of one script: "HTTPServer2" gives HTTP, Server,
    2; "GIFs" is one."""
    return _find_all(_HUMPS_PATTERN, _HUMPS, name)


def _find_all(pattern: str, compiled: re.Pattern[str], text: str) -> list[str]:
    # To `re`, the vowel signs of Tamil, Hindi and Thai are no parts of words.
    return (compiled if text.isascii() else compile_with_marks(pattern)).findall(text)


def words(text: str) -> Iterator[list[str]]:
    """The words of running text."""
    for stretch in _BREAK.split(text):
        if stretch:
            found = _find_all(_WORD_PATTERN, _WORD, stretch)
            if _HAS_HAN.search(stretch):
                # Written without spaces: runs of ideographs between kana are the content words.
                found = [run for word in found for run in _HAN.findall(word)]
            if found:
                yield found


def identifier_words(text: str, whole: frozenset[str] = frozenset()) -> Iterator[list[str]]:
    """The words of an API's or tool's name: taken apart at humps, underscores and slashes.

    Args:
        text: such as "getExchangeRates", "/v1/rates/{base}" or "Exchange rates".
        whole: lower-case words that keep their humps and hyphens, such as "youtube", "covid-19".
    """
    for stretch in _BREAK.split(text.replace("_", " ")):
        found: list[str] = []
        for word in _find_all(_WORD_PATTERN, _WORD, stretch):
            if word.lower() in whole or _HAS_HAN.search(word):
                found.append(word)
                continue
            for piece in word.split("-"):
                found.extend([piece] if piece.lower() in whole else split_camel_case(piece))
        if found:
            yield found


_SHORTEST = 9
"""Letters; shorter words are rarely glued."""
_LONGEST_PIECE = 16
_SHORTEST_UNKNOWN = 4
_BESIDE_UNKNOWN = 2
_SHORT = 2
"""Two pieces with no more letters side by side are what is left of a word."""
_KNOWN = 3
"""What so many tools write is a word."""


class WordSegmenter:
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


def sorted_words(text: str) -> tuple[str, ...]:
    """The words of a text in small letters, whatever their order and the signs between them: equal
    for two texts that differ in nothing else."""
    return tuple(sorted(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())))
