"""What a need is about: its words without the values in it. Called by `similarity.py`.

"Convert 250 EUR to dollars" is about converting; 250, EUR and dollars are values, which tell by
their kind (money) what else the need is about.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from toolplanner_core.llm.offline.mentions import Mention, find_mentions
from toolplanner_core.llm.offline.tables import pattern, spelled, table, words
from toolplanner_core.llm.offline.words import plain_words, stem, stems


class NeedSubject(NamedTuple):
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
    mentions = find_mentions(need)
    said = stems(_without(need, [m for m in mentions if m.kind in words("opaque_kinds")]))
    # A "lower" mention is a guess: the lower-case word after a preposition may be no name at all.
    values = [m for m in mentions if m.kind != "lower" and stem(m.text.lower()) not in _topics()]
    telling = [word for word in plain_words(_without(need, values)) if _tells(word)]
    kinds = {mention.kind for mention in mentions}
    if pattern("future").search(need):
        kinds.add("future")
    hints = " ".join(hint for kind, hint in table("hints").items() if kind in kinds)
    meant = (_topics().get(stem(word), frozenset()) | {stem(word)} for word in telling)
    return NeedSubject(said, stems(hints) - said, " ".join(telling), tuple(dict.fromkeys(meant)))


def _tells(word: str) -> bool:
    if stem(word) in _topics():
        return True  # "calories" are a unit, but also what is asked for
    is_value = word.isdigit() or word in spelled("units") or word in spelled("currencies")
    return len(word) > 1 and not is_value and word not in words("says_little")


@cache
def _topics() -> dict[str, frozenset[str]]:
    """Stems of what catalogues say, by the stem of what people say."""
    found: dict[str, frozenset[str]] = {}
    for heads, said in table("topics").items():
        for word in map(stem, said.split()):
            found[word] = found.get(word, frozenset()) | frozenset(map(stem, heads.split()))
    return found


def _without(need: str, mentions: Sequence[Mention]) -> str:
    for mention in sorted(mentions, key=lambda found: -found.start):
        need = f"{need[: mention.start]} {need[mention.end :]}"
    return need
