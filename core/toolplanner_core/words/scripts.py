"""Words of texts in any script, for the full-text index, searches and vectors.

A letter keeps its marks, so that the vowel signs of Tamil, Hindi and Thai stay parts of their
words. Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without spaces; Korean, Tamil,
Telugu, Kannada and Malayalam join endings and particles to the word before: there overlapping pairs
of letters stand for words ("bigrams"). Words of Arabic, Greek and Hindi are reduced to their stems:
of 64 questions in Tamil, 30 find their API among the first five by Snowball's stems and all by
pairs.

ASCII texts pass through untouched and load nothing.

Source: Unicode Standard Annex 29 (letters with their marks); bigrams as in Lucene's CJKAnalyzer;
stems of Snowball.
"""

import functools
import threading
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

_OF_THREAD = threading.local()
_STEMMERS = {
    "Arabic": "arabic",
    "Greek": "greek",
    "Devanagari": "hindi",
}
"""Script -> algorithm of Snowball."""
_PAIRED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
    r"\p{Tamil}\p{Telugu}\p{Kannada}\p{Malayalam}"
)


@functools.cache
def _patterns() -> dict[str, Any]:
    import regex  # 60 ms, and no catalogue in English needs it

    sources = {
        "word": rf"(?:[{_PAIRED}]\p{{M}}*)+|(?:[\p{{L}}\p{{N}}](?<![{_PAIRED}])\p{{M}}*)+",
        "letter": r"\P{M}\p{M}*",
        "paired": rf"[{_PAIRED}]",
        "separators": r"[^\p{L}\p{N}\p{M}]+",
        **{script: rf"\p{{{script}}}" for script in _STEMMERS},
    }
    return {name: regex.compile(source) for name, source in sources.items()}


@functools.cache
def compile_with_marks(pattern: str) -> Any:
    """A pattern as of `re`, to which marks and joiners between letters are parts of words."""
    import regex

    return regex.compile(pattern)


def normalized(text: str) -> str:
    """A text in the one spelling that is indexed: composed letters, no wide or narrow forms."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def letter_runs(text: str) -> list[str]:
    """The runs of letters, digits and their marks, in order; a run is of scripts whose
    words are pairs of letters or of others, never of both."""
    return _patterns()["word"].findall(text)


def is_paired(word: str) -> bool:
    """Whether pairs of letters stand for the words of a run."""
    return not word.isascii() and _patterns()["paired"].match(word) is not None


def letters_of(word: str) -> list[str]:
    """The letters of a run, each with its marks."""
    return _patterns()["letter"].findall(word)


def without_separators(text: str) -> str:
    """A text with a space in the place of everything that is no letter, digit or mark."""
    return _patterns()["separators"].sub(" ", text)


def search_words(text: str) -> Iterator[str]:
    """The words of a text that is not ASCII, as they are searched: whole words, or pairs of letters
    in scripts that have those instead; there a letter that stands alone is a word."""
    for run in letter_runs(normalized(text)):
        letters = letters_of(run) if is_paired(run) else []
        if len(letters) > 1:
            yield from (first + second for first, second in pairwise(letters))
        else:
            yield run


def index_form(text: str) -> str:
    """A text as the full-text index holds it: stems and pairs of letters, divided by spaces."""
    if text.isascii():
        return text
    return " ".join(map(script_stem, search_words(text)))


@functools.lru_cache(maxsize=50_000)
def script_stem(word: str) -> str:
    """The stem of a word of Arabic, Greek or Hindi; other words as they are. Thread-safe."""
    if word.isascii():
        return word
    for script, algorithm in _STEMMERS.items():
        if _patterns()[script].match(word):
            return _stemmer(algorithm).stemWord(word.lower()) or word
    return word


def _stemmer(algorithm: str) -> Any:
    # A stemmer keeps the word that it works on: one for each thread.
    found: dict[str, Any] = _OF_THREAD.__dict__.setdefault("stemmers", {})
    if algorithm not in found:
        from snowballstemmer import stemmer

        found[algorithm] = stemmer(algorithm)
    return found[algorithm]
