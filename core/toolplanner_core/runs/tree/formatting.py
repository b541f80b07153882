"""Texts that say what a run did: failures, costs, counts, lines of the event log, its evidence.

The same in the tree, on the command line and in exports. Of a stored event the long texts are marks
until somebody asks for them; only short ones are looked at here."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.outcome import VerdictSource
from toolplanner_core.words.formatting import counted, one_line


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


def token_words(tokens: int, estimated: int) -> str:
    """Tokens of models: "7,532 tokens", "about 7,532 tokens" where some of them were estimated."""
    return f"{'about ' if estimated else ''}{counted(tokens, 'token')}"


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


LONGEST = 160
"""Characters of one line."""


def text_words(value: Any) -> str:
    """A text on one line; of one that is stored beside the event, how long it is."""
    if isinstance(value, str):
        return short_line(value)
    if not isinstance(value, Mapping):
        return ""
    size: Any = value.get("size")  # pyright: ignore[reportUnknownMemberType]
    return f"text of {size / 1000:.1f} kB" if isinstance(size, int) else "long text"


def pairs_words(value: Any) -> str:
    """A JSON object as "name value, name value"."""
    if not isinstance(value, Mapping):
        return "" if value is None else short_line(str(value))
    if any(str(key).startswith("$") for key in value):  # pyright: ignore[reportUnknownArgumentType]
        return text_words(value)
    parts: list[str] = []
    for key, one in value.items():  # pyright: ignore[reportUnknownVariableType]
        shown = "…" if isinstance(one, Mapping | list) else short_line(str(one), 60)  # pyright: ignore[reportUnknownArgumentType]
        parts.append(f"{key} {shown}")
    return ", ".join(parts)


def joined_words(head: str, rest: str) -> str:
    """Both with a colon between, or the one that is there."""
    return f"{head}: {rest}" if head and rest else head or rest


def sentence_case(name: str) -> str:
    """ "fell_back" as "Fell back"."""
    return name.replace("_", " ").capitalize()


def short_line(text: str, longest: int = LONGEST) -> str:
    """A text without line breaks, cut."""
    flat = " ".join(text[: longest * 2].split())
    return flat if len(flat) <= longest else f"{flat[: longest - 1]}…"


_SHOWN, _NOT_SHOWN = "Shown by", "Not shown by"
VERDICTS = "verdict:"
"""Before the number of a run: the memories that hold what was said of its answer."""


def verdict_memory(run: RunId, source: VerdictSource) -> str:
    """The name under which verdicts on a run are kept; a judge's as earlier programs named it."""
    return f"{VERDICTS}{run}" if source is VerdictSource.JUDGE else f"{VERDICTS}{run}/{source}"


def evidence_lines(root: Mapping[str, Any]) -> list[str]:
    """A line for each need and result: the need, who met it, and the values that show it; what
    several trials found alike is said once.

    Args:
        root: what is known of the run itself.
    """
    rows = cast("Sequence[Mapping[str, Any]]", root.get("evidence") or ())
    return list(dict.fromkeys(map(_line, rows)))


def evidence_title(root: Mapping[str, Any]) -> str:
    """What stands above the lines: whether anything of the answer stands in a reply at
    all, and whether a person gave it in the place of a model."""
    rows = cast("Sequence[Mapping[str, Any]]", root.get("evidence") or ())
    title = _SHOWN if any(row.get("values") for row in rows) else _NOT_SHOWN
    return f"Written by you, {title.lower()}" if root.get("is_your_answer") else title


def judged_words(verdict: Mapping[str, Any]) -> str:
    """What somebody said of an answer, in one line."""
    word = "solved" if verdict.get("solved") else "not solved"
    votes = verdict.get("votes") or ()
    of = f" ({votes.count(True)} of {len(votes)} votes)" if len(votes) > 1 else ""
    said = f"Judged {word} by {verdict.get('who', '')}{of}"
    return f"{said}: {verdict['reason']}" if verdict.get("reason") else said


def verdict_lines(verdicts: Iterable[Mapping[str, Any]]) -> list[str]:
    """A line for each verdict on an answer, as `AnswerVerdict.to_json` gives them."""
    return list(dict.fromkeys(map(judged_words, verdicts)))


def _line(row: Mapping[str, Any]) -> str:
    values = ", ".join(str(value) for value in row.get("values") or ())
    shown = f" ({values})" if values else ", of which nothing new stands in the answer"
    return f"{one_line(str(row.get('need', '')), 80)} ← {row.get('api', '')}{shown}"
