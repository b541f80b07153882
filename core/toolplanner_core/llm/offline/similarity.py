"""How well toolkits fit a need: the one measure of `relatedness.py`, which ranks them and says
whether the best one fits at all. Called by `plan.py`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from toolplanner_core.domain.candidates import MemberFit
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.relatedness import Signs, fit_of
from toolplanner_core.llm.offline.subject import NeedSubject, subject_words
from toolplanner_core.prompts.render import ToolkitCard

Encode = Callable[[list[str]], Any]
Evidence = Callable[[str, str, Sequence[ToolkitId]], Sequence[MemberFit]]
_ENCODED = 4
"""Toolkits whose texts are encoded per need: encoding is what costs time, and the others' scores
by words and members are too low to come first."""


class NeedFit(NamedTuple):
    """A toolkit's fit to a need: one measure, which ranks and from 1 on says that they have to do
    with each other."""

    score: float
    signs: Signs

    @property
    def is_related(self) -> bool:
        """Whether the toolkit can be meant."""
        return self.score >= 1.0


class Similarity:
    """Scores toolkits for needs.

    Args:
        encode: texts -> (n, dim) unit vectors, kept by the encoder; None without an embedder.
        embedder: storage id of the embedder, "" for none.
        evidence: how much the members of toolkits have to do with a text; None if unknown.
    """

    def __init__(
        self, encode: Encode | None, *, embedder: str = "", evidence: Evidence | None = None
    ) -> None:
        self._encode = encode
        self._embedder = embedder
        self._evidence = evidence

    @property
    def knows_members(self) -> bool:
        """Whether scores are made of the APIs of toolkits too, not of their own texts only."""
        return self._evidence is not None

    def fits(self, needs: Sequence[str], cards: Sequence[ToolkitCard]) -> list[list[NeedFit]]:
        """One row per need, one fit per card."""
        if not needs or not cards:
            return [[] for _ in needs]
        subjects = [subject_words(need) for need in needs]
        needs = [_as_said(need) for need in needs]
        signs = [self._signs(n, s, cards) for n, s in zip(needs, subjects, strict=True)]
        cosines = self._cosines(needs, cards, signs)
        return [
            [self._fit(sign._replace(cosine=cosine)) for sign, cosine in zip(*row, strict=True)]
            for row in zip(signs, cosines, strict=True)
        ]

    def _fit(self, signs: Signs) -> NeedFit:
        return NeedFit(fit_of(signs, self._embedder), signs)

    def _signs(self, need: str, subject: NeedSubject, cards: Sequence[ToolkitCard]) -> list[Signs]:
        if self._evidence is None:
            return [Signs.of(subject, card, None) for card in cards]
        members = self._evidence(need, subject.words, [card.id for card in cards])
        return [Signs.of(subject, card, fit) for card, fit in zip(cards, members, strict=True)]

    def _cosines(
        self, needs: Sequence[str], cards: Sequence[ToolkitCard], signs: list[list[Signs]]
    ) -> list[list[float]]:
        """Cosines of needs and the texts of the cards that may come first, 0 for the others."""
        found = [[0.0] * len(cards) for _ in needs]
        if self._encode is None:
            return found
        most = _ENCODED if self._evidence is not None else len(cards)
        rough = [[self._fit(sign).score for sign in row] for row in signs]
        chosen = [
            sorted(range(len(cards)), key=lambda column, row=row: (-row[column], column))[:most]
            for row in rough
        ]
        texts = list(dict.fromkeys([*needs, *(card_text(cards[c]) for row in chosen for c in row)]))
        vectors = dict(zip(texts, self._encode(texts), strict=True))
        for row, (need, columns) in enumerate(zip(needs, chosen, strict=True)):
            for column in columns:
                found[row][column] = float(vectors[need] @ vectors[card_text(cards[column])])
        return found


def _as_said(need: str) -> str:
    """A question with its question mark again: without it, vectors of questions are less like what
    answers them (cosine 0.21 instead of 0.30 for "How many calories are in an apple")."""
    first = need.split(maxsplit=1)[:1]
    return f"{need}?" if first and first[0].lower() in tables.words("askers") else need


def card_text(card: ToolkitCard) -> str:
    """What a card says of itself."""
    return f"{card.name}. {card.description}"
