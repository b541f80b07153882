"""How well toolkits fit a need: embedding and shared words. Called by `plan.py`.

Shared words are weighted by how rare they are among the offered toolkits, so that "api" and "data"
decide nothing. Without an embedder they decide alone.
"""

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.mentions import find_mentions
from toolplanner_core.llm.offline.words import stems
from toolplanner_core.prompts.cards import ToolkitCard

Encode = Callable[[list[str]], Any]
_NAME, _DESCRIPTION, _VECTOR, _GIVEN = 1.0, 0.55, 1.0, 0.05
"""A word of a toolkit's name says more than one of its description. Chosen by trial: without an
embedder, name weights from 0.8 to 1.2 and description weights from 0.4 to 0.7 plan 30 of 31
natural queries over the demo world's 35 toolkits alike."""
_HINT = 0.5
_FUTURE = re.compile(
    r"\b(?:tomorrow|weekend|next (?:week|month|\w+day|\d+ days)|will|going to be|in \d+ days)\b",
    re.IGNORECASE,
)
_OPAQUE = frozenset(["quoted", "domain", "url", "email", "ip", "uuid", "tracking", "iban", "vin"])
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)


class Fit(NamedTuple):
    """A toolkit's fit to a need: the sum that ranks, and its parts."""

    score: float
    shared: float
    cosine: float

    @property
    def is_related(self) -> bool:
        """Whether the toolkit has anything to do with the need."""
        return self.shared >= 0.12 or self.cosine >= 0.28


class Similarity:
    """Scores toolkits for needs; vectors of toolkit texts are kept for the next question.

    Args:
        encode: texts -> (n, dim) unit vectors, or None.
    """

    def __init__(self, encode: Encode | None) -> None:
        self._encode = encode
        self._vectors: dict[str, Any] = {}

    def fits(self, needs: Sequence[str], cards: Sequence[ToolkitCard]) -> list[list[Fit]]:
        """One row per need, one fit per card."""
        shared = _shared(needs, cards)
        cosines = self._cosines(needs, cards)
        top = max((abs(card.score) for card in cards), default=0.0) or 1.0
        return [
            [
                Fit(
                    score=shared[row][column]
                    + _VECTOR * cosines[row][column]
                    + _GIVEN * card.score / top,
                    shared=shared[row][column],
                    cosine=cosines[row][column],
                )
                for column, card in enumerate(cards)
            ]
            for row in range(len(needs))
        ]

    def _cosines(self, needs: Sequence[str], cards: Sequence[ToolkitCard]) -> list[list[float]]:
        if self._encode is None or not needs or not cards:
            return [[0.0] * len(cards) for _ in needs]
        texts = [f"{card.name}. {card.description}" for card in cards]
        wanted = list(dict.fromkeys([*needs, *texts]))
        new = [text for text in wanted if text not in self._vectors]
        if len(self._vectors) > 5000:
            self._vectors.clear()
            new = wanted
        if new:
            self._vectors.update(zip(new, self._encode(new), strict=True))
        return [
            [float(self._vectors[need] @ self._vectors[text]) for text in texts] for need in needs
        ]


def _without_values(need: str) -> str:
    """A need without quoted texts and addresses: their words are not what it is about."""
    for mention in reversed(find_mentions(need, _ANY_DAY)):
        if mention.kind in _OPAQUE:
            need = f"{need[: mention.start]} {need[mention.end :]}"
    return need


def _hinted(need: str) -> str:
    kinds = {mention.kind for mention in find_mentions(need, _ANY_DAY)}
    if _FUTURE.search(need):
        kinds.add("future")
    return " ".join(words for kind, words in tables.hints().items() if kind in kinds)


def _shared(needs: Sequence[str], cards: Sequence[ToolkitCard]) -> list[list[float]]:
    """Weighted share of a need's known words that a card's name or description has, 0 to 1."""
    names = [stems(card.name) for card in cards]
    descriptions = [stems(card.description) for card in cards]
    often: dict[str, int] = {}
    for name, description in zip(names, descriptions, strict=True):
        for word in name | description:
            often[word] = often.get(word, 0) + 1
    rows: list[list[float]] = []
    for need in needs:
        said = stems(_without_values(need))
        hinted = stems(_hinted(need)) - said
        weights = {
            word: math.log(1 + len(cards) / often[word]) * (1.0 if word in said else _HINT)
            for word in said | hinted
            if word in often
        }
        # A need of which the cards know one rare word only is not wholly met by that word.
        total = sum(weights.values()) + 0.5
        rows.append(
            [
                sum(
                    weight * (_NAME if word in name else _DESCRIPTION)
                    for word, weight in weights.items()
                    if word in name or word in description
                )
                / total
                for name, description in zip(names, descriptions, strict=True)
            ]
        )
    return rows
