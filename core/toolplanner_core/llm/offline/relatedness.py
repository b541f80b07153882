"""How well a toolkit fits a need: one number, from 1 on it can be meant; a need that nothing fits
is refused. Called by `similarity.py`.
"""

from typing import NamedTuple

from toolplanner_core.domain.candidates import MemberFit
from toolplanner_core.llm.offline.subject import NeedSubject
from toolplanner_core.llm.offline.words import stems
from toolplanner_core.prompts.render import ToolkitCard

_DESCRIBED = 0.8
"""What a word of a description says, beside one of the name."""


class Signs(NamedTuple):
    """What speaks for a toolkit, each 0 to 1 and comparable between needs.

    Attributes:
        cosine: of the need and the toolkit's own text; 0 if not encoded.
        member: of the need and the best API.
        covered: share of the need's telling words that the toolkit's own text has.
        member_words: share of them that the documentation of one API has, rare ones counting more.
        hinted: whether its own text has a word that the need's values speak of.
        telling: how many telling words the need has.
    """

    cosine: float
    member: float
    covered: float
    member_words: float
    hinted: bool
    telling: int

    @classmethod
    def of(cls, subject: NeedSubject, card: ToolkitCard, member: MemberFit | None) -> "Signs":
        """The signs for one toolkit, without the cosine of its own text, which costs time.

        Args:
            member: None where nothing is known of its APIs.
        """
        name, own = stems(card.name), stems(f"{card.name} {card.description}")
        known = sum(
            1.0 if meant & name else _DESCRIBED * bool(meant & own) for meant in subject.telling
        )
        covered = known / len(subject.telling) if subject.telling else 0.0
        return cls(
            cosine=0.0,
            member=0.0 if member is None else member.cosine,
            covered=covered,
            member_words=covered if member is None else member.words,
            hinted=bool(subject.hinted & own),
            telling=len(subject.telling),
        )


class _Weights(NamedTuple):
    """How much each sign counts with one kind of embedder, and what the sum must reach."""

    cosine: float
    member: float
    covered: float
    member_words: float
    hinted: float
    enough: float


_BY_MEANING = _Weights(1.0, 1.0, 0.3, 0.15, 0.1, 0.685)
_BY_STATIC_WORDS = _BY_MEANING._replace(enough=0.6)
_BY_WORDS = _Weights(0.15, 0.15, 0.6, 0.4, 0.35, 0.3)
"""Vectors of language models tell what two texts mean, also without a shared word; those of `lsa`
are made of the catalogue's words and call any two texts alike that share one common word, so words
decide there. Those of static words lie a little closer together than those of language models: of
50 everyday questions over the demo 44 are planned for the right toolkit and 2 for a wrong one, and
1 of 20 that nothing there can answer is accepted (`tests/fixtures/everyday_questions.json`)."""


def by_meaning(embedder: str) -> bool:
    """Whether the cosines of an embedder tell what texts mean, rather than which words they
    share."""
    return bool(embedder) and not embedder.startswith("lsa")


def fit_of(signs: Signs, embedder: str) -> float:
    """How well a toolkit fits a need; from 1 on it can be meant.

    Args:
        embedder: storage id of the embedder the cosines are of, "" for none.
    """
    if embedder == "words":
        weights = _BY_STATIC_WORDS
    else:
        weights = _BY_MEANING if by_meaning(embedder) else _BY_WORDS
    # Money speaks of currencies, but "transfer 100 euros to my landlord" is not about them: a
    # hint counts beside words that fit, or where there are no other words.
    hint = signs.hinted and (signs.covered > 0 or signs.member_words > 0 or not signs.telling)
    belief = (
        weights.cosine * signs.cosine
        + weights.member * signs.member
        + weights.covered * signs.covered
        + weights.member_words * signs.member_words
        + weights.hinted * hint
    )
    return belief / weights.enough
