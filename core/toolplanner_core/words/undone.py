"""Why no step was made for what was asked: it compares, which rules cannot, or no toolkit is for
it. Said by the offline planner, which plans by rules."""

import re
from collections.abc import Sequence

_COMPARES = re.compile(
    r"\b(?:[Ii]s|[Aa]re|[Ww]as|[Ww]ere|be|has|have|costs?)(?: it| there| the \w+| [A-Z]\w+)?"
    r" (?:more|less|fewer|(?!(?:over|under|after|other|weather)\b)[a-z]{3,}er)\b"
    r".*\b(?:or|than)\b"
)
"""A comparative behind its verb, and what it parts: "is it warmer in Rome or in Oslo"."""


def undone_reason(needs: Sequence[str]) -> str:
    """Why nothing was called for these needs, as a sentence without its dot; "" for none."""
    compared = [need for need in needs if _COMPARES.search(need)]
    others = [need for need in needs if need not in compared]
    heads = {
        "The offline planner does not compare; ask for each alone": compared,
        "The offline planner found no toolkit for": others,
    }
    return ". ".join(f"{head}: {'; '.join(those)}" for head, those in heads.items() if those)
