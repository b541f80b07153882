"""A comparison of two runs as lines of plain text, and as JSON.

    Run 3 against run 4: 10 same, 2 differ below, 2 changed, 0 only in run 3, 3 only in run 4
    First difference: “MeteoNow · forecast”: ok in run 3, failed (server error) in run 4.

       Find the weather in Zagreb
       └─ Plan 1 · 1 step
          ├─ ◆ ~ MeteoNow · forecast  state: ok → failed · error: nothing → server error
          └─ + SkyCast · daily

"~" changed, "-" only left, "+" only right, "◆" where the runs first went different ways.
"""

import dataclasses
from collections import Counter
from collections.abc import Iterator
from typing import Any

from toolplanner_core.runs.compare.diff import DiffNode, Relation, RunDiff, pair_words
from toolplanner_core.runs.presentation.run_list import examples_words
from toolplanner_core.words.formatting import count, counted

SIGNS = {
    Relation.SAME: "",
    Relation.CHANGED: "~ ",
    Relation.ONLY_LEFT: "- ",
    Relation.ONLY_RIGHT: "+ ",
}
_LONGEST_CHANGE = 60


def other_queries_words(diff: RunDiff) -> str:
    """The warning where two runs are of different queries; "" where they are not."""
    if diff.left.query == diff.right.query:
        return ""
    return "These runs are of different queries, so most of what differs says nothing"


def render_diff(diff: RunDiff, *, everything: bool = False) -> list[str]:
    """The comparison, one place per line.

    Args:
        everything: show places in which nothing differs, too.
    """
    lines = [
        f"Run {diff.left.run} against run {diff.right.run}: {', '.join(counts_words(diff))}",
        *filter(None, [examples_words(diff.left, diff.right)]),
        f"First difference: {way_words(diff)}" if diff.first else way_words(diff),
        "",
    ]
    lines.extend(_tree(diff, everything=everything))
    return lines


def way_words(diff: RunDiff) -> str:
    """Where the runs first went different ways, or that they went the same one."""
    if diff.first is not None:
        return diff.first.sentence
    n = sum(node.is_prompt_same is False for node in diff.nodes)
    asked = f", though {count(n)} of their questions {'was' if n == 1 else 'were'} put otherwise"
    return f"The runs went the same way{asked if n else ''}."


def counts_words(diff: RunDiff) -> list[str]:
    """How many places there are of each kind, as their rows say it."""
    counts = Counter(node.relation for node in diff.nodes)
    below = sum(node.relation is Relation.SAME and node.differs_below for node in diff.nodes)
    return [
        f"{counts[Relation.SAME] - below:,} same",
        *([counted(below, "differs below", "differ below")] if below else []),
        f"{counts[Relation.CHANGED]:,} changed",
        f"{counts[Relation.ONLY_LEFT]:,} only in run {diff.left.run}",
        f"{counts[Relation.ONLY_RIGHT]:,} only in run {diff.right.run}",
    ]


def diff_rows(diff: RunDiff) -> dict[str, Any]:
    """The comparison as JSON: `nodes` depth first, `first` with path and sentence, `totals`."""
    return {
        "left": diff.left.run,
        "right": diff.right.run,
        "counts": {str(relation): count for relation, count in diff.counts.items()},
        "first": None if diff.first is None else dataclasses.asdict(diff.first),
        "totals": [pair._asdict() for pair in diff.totals],
        "nodes": [dataclasses.asdict(node) for node in diff.nodes],
    }


def _tree(diff: RunDiff, *, everything: bool) -> Iterator[str]:
    first = None if diff.first is None else diff.first.node
    shown = [
        index
        for index, node in enumerate(diff.nodes)
        if everything or not index or node.differs_below or node.relation is not Relation.SAME
    ]
    last_child = {diff.nodes[index].parent: index for index in shown}
    below: dict[int | None, str] = {None: ""}
    for index in shown:
        node = diff.nodes[index]
        is_last = last_child[node.parent] == index
        head = "" if node.parent is None else below[node.parent] + ("└─ " if is_last else "├─ ")
        if node.parent is None:
            below[index] = ""
        else:
            below[index] = below[node.parent] + ("   " if is_last else "│  ")
        yield f"{head}{'◆ ' if index == first else ''}{_describe(node)}"


def _describe(node: DiffNode) -> str:
    title = " ".join(node.title.split())
    parts = [f"{SIGNS[node.relation]}{title[:120]}"]
    if node.changes:
        parts.append(" · ".join(_change(node)))
    if node.elsewhere is not None:
        parts.append(f"in the other run at {node.elsewhere}")
    if node.is_prompt_same is False:
        parts.append("asked in other words")
    return "  ".join(parts)


def _change(node: DiffNode) -> Iterator[str]:
    for change in node.changes:
        what = change.what.replace("_", " ")
        if change.what == "steps":
            yield "other steps"
        else:
            one, other = pair_words(change.left, change.right, longest=_LONGEST_CHANGE)
            yield f"{what}: {one} → {other}"
