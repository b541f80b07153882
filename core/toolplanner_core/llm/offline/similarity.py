"""How well toolkits fit a need: embedding and shared words. Called by `plan.py`.

Without an embedder words decide alone. What ranks toolkits cannot say whether the
best one fits at all; that is `relatedness.py`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from toolplanner_core.domain.candidates import MemberFit
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.relatedness import Signs, by_meaning, is_related
from toolplanner_core.llm.offline.shared_words import shared_words
from toolplanner_core.llm.offline.subject import NeedSubject, subject_words
from toolplanner_core.prompts.render import ToolkitCard

Encode = Callable[[list[str]], Any]
Evidence = Callable[[str, str, Sequence[ToolkitId]], Sequence[MemberFit]]
_VECTOR, _MEMBER, _MEMBER_WORDS, _COVERED, _GIVEN = 1.0, 0.5, 0.3, 0.3, 0.05
_MEMBER_BY_WORDS = 0.15
_ENCODED = 4
"""Toolkits whose texts are encoded per need: encoding is what costs time, and the others' scores
by words and members are too low to come first."""


class NeedFit(NamedTuple):
    """A toolkit's fit to a need: the sum that ranks, and whether they have to do with each
    other."""

    score: float
    is_related: bool
    signs: Signs


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
        shared = shared_words(subjects, cards)
        signs = [self._signs(n, s, cards) for n, s in zip(needs, subjects, strict=True)]
        rough = [
            [
                of_words + self._rough(sign) + _GIVEN * given
                for of_words, sign, given in zip(*row, _given(cards), strict=True)
            ]
            for row in zip(shared, signs, strict=True)
        ]
        cosines = self._cosines(needs, cards, rough)
        return [
            [
                self._fit(score, sign._replace(cosine=cosine))
                for score, sign, cosine in zip(*row, strict=True)
            ]
            for row in zip(rough, signs, cosines, strict=True)
        ]

    def _fit(self, rough: float, signs: Signs) -> NeedFit:
        return NeedFit(rough + _VECTOR * signs.cosine, is_related(signs, self._embedder), signs)

    def _rough(self, signs: Signs) -> float:
        member = _MEMBER if by_meaning(self._embedder) else _MEMBER_BY_WORDS
        return _COVERED * signs.covered + member * signs.member + _MEMBER_WORDS * signs.member_words

    def _signs(self, need: str, subject: NeedSubject, cards: Sequence[ToolkitCard]) -> list[Signs]:
        if self._evidence is None:
            return [Signs.of(subject, card, None) for card in cards]
        members = self._evidence(need, subject.words, [card.id for card in cards])
        return [Signs.of(subject, card, fit) for card, fit in zip(cards, members, strict=True)]

    def _cosines(
        self, needs: Sequence[str], cards: Sequence[ToolkitCard], rough: list[list[float]]
    ) -> list[list[float]]:
        """Cosines of needs and the texts of the cards that may come first, 0 for the others."""
        found = [[0.0] * len(cards) for _ in needs]
        if self._encode is None:
            return found
        most = _ENCODED if self._evidence is not None else len(cards)
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


def _given(cards: Sequence[ToolkitCard]) -> list[float]:
    """The similarity to the whole query that the cards came with, the best being 1."""
    top = max((abs(card.score) for card in cards), default=0.0) or 1.0
    return [card.score / top for card in cards]


def card_text(card: ToolkitCard) -> str:
    """What a card says of itself."""
    return f"{card.name}. {card.description}"
