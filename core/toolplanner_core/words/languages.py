"""Which language a text is written in, as far as its script and its commonest words tell.

Rules that read a query (`query_values.py`, the offline planner) know English; of a text in another
language they would say something wrong. Called by whoever asks them.
"""

import re
from collections.abc import Mapping
from functools import cache

from toolplanner_core.words.stop_words import read_lines

ENGLISH = "en"
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
)
"""Of each script the language that is written in it most; Kana stand before the Han signs that
Japanese has, too."""
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NOT_ENGLISH = re.compile(r"[¿¡äöüßáéíóúàâçèêëîïôùûñãõ]", re.IGNORECASE)
_SHARE = 0.2
"""Of letters in a script, from which on a text is in it: a name in another one is none."""


@cache
def _common_words() -> Mapping[str, frozenset[str]]:
    rows = (line.partition(": ") for line in read_lines("languages"))
    return {language: frozenset(words.split()) for language, _, words in rows}


def language_of(text: str) -> str:
    """The code of a language (ISO 639-1), "" where nothing tells."""
    letters = sum(map(str.isalpha, text))
    for language, script in _SCRIPTS:
        if letters and len(script.findall(text)) >= _SHARE * letters:
            return language
    words = _WORD.findall(text.lower())
    counts = {
        language: sum(word in common for word in words)
        for language, common in _common_words().items()
    }
    if _NOT_ENGLISH.search(text):
        counts[ENGLISH] = min(counts[ENGLISH], 0)
    best = max(counts, key=lambda language: counts[language])
    is_clear = counts[best] > max(n for language, n in counts.items() if language != best)
    return best if is_clear else ""


def may_be_english(text: str) -> bool:
    """Whether rules for English may read a text: it is, or nothing tells that it is not."""
    return language_of(text) in (ENGLISH, "") and not _NOT_ENGLISH.search(text)
