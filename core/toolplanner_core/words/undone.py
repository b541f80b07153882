"""Why no step was made for what was asked: it compares, which rules cannot, or no toolkit is for
it. Said by the offline planner, which plans by rules."""

from collections.abc import Sequence

from toolplanner_core.words.tables import pattern


def undone_reason(needs: Sequence[str]) -> str:
    """Why nothing was called for these needs, as a sentence without its dot; "" for none.

    One compares that has a comparative behind its verb, and what it parts: "is it warmer in Rome or
    in Oslo".
    """
    compared = [need for need in needs if pattern("compares").search(need)]
    others = [need for need in needs if need not in compared]
    heads = {
        "The offline planner does not compare; ask for each alone": compared,
        "The offline planner found no toolkit for": others,
    }
    return ". ".join(f"{head}: {'; '.join(those)}" for head, those in heads.items() if those)
