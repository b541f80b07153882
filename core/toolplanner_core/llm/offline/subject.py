"""What a need is about: its words without the values in it. Called by `similarity.py`.

"Convert 250 EUR to dollars" is about converting; 250, EUR and dollars are values, which tell by
their kind (money) what else the need is about.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache

from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.mentions import Mention, find_mentions
from toolplanner_core.llm.offline.words import plain_words, stem, stems

_FUTURE = re.compile(
    r"\b(?:tomorrow|weekend|next (?:week|month|\w+day|\d+ days)|will|going to be|in \d+ days)\b",
    re.IGNORECASE,
)
_OPAQUE = frozenset(["quoted", "domain", "url", "email", "ip", "uuid", "tracking", "iban", "vin"])
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedSubject:
    """What a need is about.

    Attributes:
        said: stems of all its words but those of quoted texts and addresses.
        hinted: stems of what its values speak of: money of currencies.
        words: its words without values, as they are written; for searching documentation.
        telling: the words among them that can tell one toolkit from another, each as the stems
            that a toolkit may use for it.
    """

    said: frozenset[str]
    hinted: frozenset[str]
    words: str
    telling: tuple[frozenset[str], ...]


@lru_cache(maxsize=512)
def subject_words(need: str) -> NeedSubject:
    """The subject of a need."""
    mentions = find_mentions(need, _ANY_DAY)
    said = stems(_without(need, [m for m in mentions if m.kind in _OPAQUE]))
    # A "lower" mention is a guess: the lower-case word after a preposition may be no name at all.
    values = [m for m in mentions if m.kind != "lower" and stem(m.text.lower()) not in _topics()]
    words = _without(need, values)
    telling = [word for word in plain_words(words) if _tells(word)]
    return NeedSubject(
        said=said,
        hinted=stems(_hinted(need, mentions)) - said,
        words=" ".join(telling),
        telling=tuple(dict.fromkeys(_meant(word) for word in telling)),
    )


def _tells(word: str) -> bool:
    if stem(word) in _topics():
        return True  # "calories" are a unit, but also what is asked for
    is_value = word.isdigit() or word in tables.units() or word in tables.currency_names()
    return len(word) > 1 and not is_value and word not in tables.words("says_little")


def _meant(word: str) -> frozenset[str]:
    return _topics().get(stem(word), frozenset()) | {stem(word)}


@cache
def _topics() -> dict[str, frozenset[str]]:
    """Stems of what catalogues say, by the stem of what people say."""
    found: dict[str, frozenset[str]] = {}
    for word, heads in tables.topics().items():
        found[stem(word)] = found.get(stem(word), frozenset()) | frozenset(map(stem, heads))
    return found


def _without(need: str, mentions: list[Mention]) -> str:
    for mention in sorted(mentions, key=lambda found: -found.start):
        need = f"{need[: mention.start]} {need[mention.end :]}"
    return need


def _hinted(need: str, mentions: tuple[Mention, ...]) -> str:
    kinds = {mention.kind for mention in mentions}
    if _FUTURE.search(need):
        kinds.add("future")
    return " ".join(words for kind, words in tables.hints().items() if kind in kinds)
