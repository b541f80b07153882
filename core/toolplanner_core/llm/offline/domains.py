"""Split needs whose halves are of different domains: "calories of salmon and weather in Oslo".

The rules of `needs.py` see the grammar only, and "X and Y" without verbs may be one thing
("museums and cafes in Rome", "rice and beans"). Here the toolkits decide. Called by `plan.py`.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.mentions import find_mentions
from toolplanner_core.llm.offline.needs import Need
from toolplanner_core.llm.offline.similarity import NeedFit, Similarity
from toolplanner_core.llm.offline.subject import subject_words
from toolplanner_core.prompts.render import ToolkitCard

_AND = re.compile(r"\s+and\s+|\s*,\s+(?:and\s+)?", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“][^\"”]*[\"”]")
_TAIL = re.compile(r"\s+(?:in|of|for|near|at|around|from)\s+\S.*$", re.IGNORECASE)
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_SURE = 0.5
"""Share of a half's telling words that its toolkit must have in its own text."""


class _Halves(NamedTuple):
    """Two halves that each can stand alone; `bare` is the left one without the right one's tail."""

    left: Need
    right: Need
    bare: Need


def split_by_domain(
    needs: Sequence[Need], cards: Sequence[ToolkitCard], similarity: Similarity
) -> list[Need]:
    """The needs, those cut in two whose halves surely are of different toolkits."""
    cuts = [list(_cuts(need)) for need in needs]
    texts = [half.text for found in cuts for cut in found for half in (cut.left, cut.right)]
    if not texts or not cards:
        return list(needs)
    rows = dict(zip(texts, similarity.fits(texts, cards), strict=True))
    split: list[Need] = []
    for need, found in zip(needs, cuts, strict=True):
        apart = (_apart(cut, cards, rows) for cut in found)
        split.extend(next((halves for halves in apart if halves), (need,)))
    return split


def _cuts(need: Need) -> Iterator[_Halves]:
    """Where a need may be cut: halves of two words and more, outside quotes."""
    masked = _QUOTED.sub(lambda match: "x" * len(match.group()), need.text)
    for match in _AND.finditer(masked):
        left, right = need.text[: match.start()], need.text[match.end() :]
        if min(len(left.split()), len(right.split())) < 2:
            continue
        halves = _Halves(
            Need(text=_with_tail(left, right), start=need.start),
            Need(text=_with_command(left, right), start=need.start + match.end()),
            Need(text=left, start=need.start),
        )
        if all(subject_words(half.text).telling for half in halves):
            yield halves


def _with_tail(left: str, right: str) -> str:
    """ "Parks" of "parks and beaches near Lyon" are near Lyon too."""
    tail = _TAIL.search(right)
    has_own = any(mention.kind != "lower" for mention in find_mentions(left, _ANY_DAY))
    return left if tail is None or has_own or _TAIL.search(left) else left + tail.group()


def _with_command(left: str, right: str) -> str:
    """ "10 EUR to USD" of "convert 5 miles to km and 10 EUR to USD" is to be converted too."""
    command = left.split(maxsplit=1)[0]
    is_bare = not subject_words(right).telling and bool(find_mentions(right, _ANY_DAY))
    is_command = command.lower() in tables.words("commands")
    return f"{command} {right}" if is_bare and is_command else right


def _apart(
    cut: _Halves, cards: Sequence[ToolkitCard], rows: dict[str, list[NeedFit]]
) -> tuple[Need, ...]:
    """The two needs of a cut, none if they are better left together."""
    left, right = (_best(rows[half.text], cards) for half in (cut.left, cut.right))
    if left is not None and right is not None:
        return (cut.left, cut.right) if left != right else ()
    # "Write a poem and weather in Lyon": a command of its own that no toolkit can do.
    is_command = cut.bare.text.split(maxsplit=1)[0].lower() in tables.words("commands")
    is_foreign = not any(fit.is_related for fit in rows[cut.left.text])
    return (cut.bare, cut.right) if is_command and is_foreign and right is not None else ()


def _best(row: Sequence[NeedFit], cards: Sequence[ToolkitCard]) -> ToolkitId | None:
    """The toolkit that a half surely means, None if that is not sure."""
    index = max(range(len(cards)), key=lambda at: (row[at].score, -at))
    fit = row[index]
    return cards[index].id if fit.is_related and fit.signs.covered >= _SURE else None
