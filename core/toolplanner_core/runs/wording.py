"""Failures and paths in words for people: the same in the tree, on the command line, in exports."""

from toolplanner_core.domain.ids import NodePath


def failure_words(error: str, status: int | None = None) -> str:
    """An error class in words, such as "server error 500"."""
    words = error.replace("_", " ")
    return f"{words} {status}" if status is not None and status >= 400 else words


def cost_words(cost: float | None) -> str:
    """US dollars with as many digits as say something: "$0", "$0.0042", "$1.25"; "–" = unknown."""
    if cost is None:
        return "–"
    if cost == 0:
        return "$0"
    if cost < 0.00005:
        return "<$0.0001"
    return f"${cost:,.4f}" if cost < 1 else f"${cost:,.2f}"


def title_of_segment(path: NodePath) -> str:
    """A name for a question that was never sent, from its path: "Make plan"."""
    name = path.rpartition("/")[2].partition(".")[0].replace("_", " ")
    return name[:1].upper() + name[1:]
