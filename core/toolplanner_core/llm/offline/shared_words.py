"""How many of a need's words toolkits share, by their own texts. Called by `similarity.py`.

Words are weighted by how rare they are among the offered toolkits, so that "api" and "data" decide
nothing.
"""

import math
from collections.abc import Sequence

from toolplanner_core.llm.offline.subject import NeedSubject
from toolplanner_core.llm.offline.words import stems
from toolplanner_core.prompts.render import ToolkitCard

_NAME, _DESCRIPTION = 1.0, 0.55
"""A word of a toolkit's name says more than one of its description. Chosen by trial: without an
embedder, name weights from 0.8 to 1.2 and description weights from 0.4 to 0.7 plan 30 of 31
natural queries over the demo world's 35 toolkits alike."""
_HINT, _SAYS_LITTLE = 0.5, 0.4


def shared_words(
    subjects: Sequence[NeedSubject], cards: Sequence[ToolkitCard]
) -> list[list[float]]:
    """Weighted share of a need's known words that a card's name or description has, 0 to 1."""
    names = [stems(card.name) for card in cards]
    descriptions = [stems(card.description) for card in cards]
    often: dict[str, int] = {}
    for name, description in zip(names, descriptions, strict=True):
        for word in name | description:
            often[word] = often.get(word, 0) + 1
    rows: list[list[float]] = []
    for subject in subjects:
        weights = {
            word: math.log(1 + len(cards) / often[word]) * _weight(word, subject)
            for word in sorted(subject.said | subject.hinted)
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


def _weight(word: str, subject: NeedSubject) -> float:
    if word not in subject.said:
        return _HINT
    return 1.0 if word in subject.heads or not subject.heads else _SAYS_LITTLE
