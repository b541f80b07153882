"""The terms that LSA counts in a text: words, and pairs of neighbouring words.

Chinese, Japanese and Korean are written without spaces: there each letter is a word, so that pairs
of letters count.
"""

import re
import unicodedata
from itertools import pairwise

from toolplanner_core.words.stems import singular
from toolplanner_core.words.stop_words import STOP_WORDS

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(f"[{_UNSPACED}]|[^\\W_{_UNSPACED}]+")
_READ = 4_000
"""Characters of a text that are looked at; functionality texts have 400."""


def terms_of(text: str) -> list[str]:
    """All terms of a text, in order, repeated as they occur."""
    text = text[:_READ].lower()
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = unicodedata.normalize(
            "NFC", "".join(c for c in decomposed if c < "\u0300" or c > "\u036f")
        )
    words = [singular(word) for word in _WORD.findall(text) if word not in STOP_WORDS]
    return words + [f"{first} {second}" for first, second in pairwise(words)]
