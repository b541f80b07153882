"""What the forms of one word have in common: "rates" and "rate", "verify" and "verified".

Two strengths. `singular` gives a word again and takes only the plural off: stored vectors are
counted with it, so it never changes. `stem` is Snowball's, for comparing words that nobody sees: on
the ToolBench catalogue it finds a word of an API's name in its description for 85.4 % of the APIs,
`singular` with the nouns of common verbs for 84.7 %, bare words for 79.9 %. It is too strong for
names: "conversion" and "conversation" are one.

Source: Porter 2001, Snowball, the English stemmer.
"""

import functools
import threading

_SHORTEST_PLURAL = 4
_SINGULARS = ("ss", "us", "is")
_OF_THREAD = threading.local()


def singular(word: str) -> str:
    """A lower-case word without the "s" of the plural: "rates" -> "rate", "stories" -> "story"."""
    if len(word) < _SHORTEST_PLURAL or not word.endswith("s") or word.endswith(_SINGULARS):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > _SHORTEST_PLURAL else word[:-1]


def plural(word: str) -> str:
    """The usual plural of an English noun in the singular: "boxes", "properties"."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"


def without_possessive(word: str) -> str:
    """A lower-case word without the "'s" at its end."""
    return word.removesuffix("'s").removesuffix("’s")


@functools.lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The English stem of a word in any case; not a word itself, so never shown. Thread-safe."""
    if not hasattr(_OF_THREAD, "stemmer"):
        # A stemmer keeps the word that it works on: one for each thread.
        from snowballstemmer import stemmer

        _OF_THREAD.stemmer = stemmer("english")
    found: str = _OF_THREAD.stemmer.stemWord(without_possessive(word.lower()))
    return found
