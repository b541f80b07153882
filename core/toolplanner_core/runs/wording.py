"""Failures and paths in words for people: the same in the tree, on the command line, in exports."""

from collections.abc import Mapping

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.words.wording import counted


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


def count_words(counts: Mapping[str, int]) -> list[str]:
    """What a strategy counted, by the names it declares: "2 fallbacks", "1 replan"."""
    return [counted(n, _singular(name), name) for name, n in counts.items() if n]


def _singular(name: str) -> str:
    return f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")


def model_calls_words(number: int, repeated: int) -> str:
    """How many requests went to models: "12 model calls, 2 of them again"."""
    again = f", {repeated:,} of them again" if repeated else ""
    return f"{counted(number, 'model call')}{again}"


def blamed_words(by_you: int, by_fault: int) -> str:
    """Who made failed calls fail, in brackets: " (1 by you, 2 by a fault)"; "" if none was made."""
    said = [f"{n:,} by {who}" for n, who in ((by_you, "you"), (by_fault, "a fault")) if n]
    return f" ({', '.join(said)})" if said else ""


def title_of_segment(path: NodePath) -> str:
    """A name for a question that was never sent, from its path: "Make plan"."""
    name = path.rpartition("/")[2].partition(".")[0].replace("_", " ")
    return name[:1].upper() + name[1:]
