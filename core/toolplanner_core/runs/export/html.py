"""One run as one HTML file that anybody can read: the tree as nested blocks, payloads collapsed.

The file needs nothing else and can do nothing: no script, no image, no font, no link to outside;
its policy (Content-Security-Policy) allows one style sheet, by hash, and all text is escaped
(design/security.md). It follows the reader's light or dark setting and works without a mouse.
"""

import base64
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from toolplanner_core import __version__
from toolplanner_core.domain.ids import ROOT, NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.html_templates import render_html
from toolplanner_core.resources import resource_root
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.export.html_payloads import PageBlock, show_event
from toolplanner_core.runs.log.stored_runs import get_summary, iter_full_rows, typed
from toolplanner_core.runs.presentation.run_columns import (
    MODEL_COLUMNS,
    OUTCOME_COLUMNS,
    VERDICT_COLUMNS,
    SummaryColumn,
    filled,
)
from toolplanner_core.runs.presentation.run_list import provider_words
from toolplanner_core.runs.presentation.states import NODE_LOOKS, RUN_LOOKS, state_word
from toolplanner_core.runs.presentation.story import run_headline
from toolplanner_core.runs.presentation.tree_text import node_figures, numbered_title
from toolplanner_core.runs.tree.formatting import (
    blamed_words,
    cost_words,
    evidence_lines,
    evidence_title,
    verdict_lines,
)
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.words.formatting import duration
from toolplanner_core.workspace import Workspace

_LONGEST_PAGE = 30_000_000
"""Characters of payloads in one page; later nodes then show their lines only."""

_TROUBLE = frozenset(
    {NodeState.FAILED, NodeState.FELL_BACK, NodeState.REPLANNED, NodeState.IN_DOUBT}
)
_STYLE = (resource_root() / "styles" / "run_page.css").read_text(encoding="utf-8")
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
"""What the page may do: show itself with its own style sheet, nothing else."""


def export_html(workspace: Workspace, run: RunId) -> str:
    """The page of a run.

    Raises:
        NotFound: no such run.
    """
    from markupsafe import Markup

    summary = get_summary(workspace, run)
    tree = RunTree()
    blocks: defaultdict[NodePath, list[PageBlock]] = defaultdict(list)
    room = _LONGEST_PAGE
    for row in iter_full_rows(workspace, run):
        records = typed([row])
        tree.apply(records)
        for block in show_event(records[0].event):
            if block.size <= room:
                blocks[row.path].append(block)
                room -= block.size
    root = tree.root.data if tree.root else {}
    nodes = list(_rows(tree, blocks))
    return render_html(
        "run_page.html",
        policy=Markup(POLICY),
        style=Markup(_STYLE),
        version=__version__,
        run=summary.run,
        query=summary.query,
        origin=_origin(summary),
        status=str(summary.status),
        status_word=RUN_LOOKS[summary.status].word,
        remarks=list(_remarks(summary, run_headline(tree.nodes), root)),
        facts=_facts(summary, root),
        blocks=blocks.get(ROOT, ()),
        nodes=nodes,
        n_open=nodes[-1].level if nodes else 0,
    )


def _origin(summary: RunSummary) -> str:
    if summary.parent_run is not None:
        return f" · fork of run {summary.parent_run}"
    return " · imported" if summary.is_imported else ""


def _remarks(summary: RunSummary, story: str, root: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What stands below the query: a class of the style sheet, and the text."""
    found = {"over": story, "answer": summary.answer}
    yield from ((name, text) for name, text in found.items() if text)
    yield from (
        ("over", text) for text in (summary.reason, *verdict_lines(summary.verdicts)) if text
    )
    for line in evidence_lines(root):
        yield "over", f"{evidence_title(root)}: {line}"


def _facts(summary: RunSummary, root: Mapping[str, Any]) -> dict[str, str]:
    started = datetime.fromtimestamp(summary.started_us / 1e6, tz=UTC)
    return {
        **_said((*OUTCOME_COLUMNS, *VERDICT_COLUMNS), summary),
        "Strategy": summary.strategy,
        **_said(MODEL_COLUMNS, summary),
        "Calls answered by": provider_words(root) or summary.provider,
        "Model calls": f"{summary.model_calls:,}"
        + (
            f", {summary.repeated_model_calls:,} of them again" * bool(summary.repeated_model_calls)
        ),
        "API calls": f"{summary.api_calls:,}",
        "Failed calls": f"{summary.failed_calls:,}"
        f"{blamed_words(summary.failed_by_you, summary.failed_by_fault)}",
        "Fallbacks": f"{summary.fallbacks:,}",
        "Replans": f"{summary.replans:,}",
        "Tokens": f"{'about ' * bool(summary.estimated_tokens)}{summary.tokens:,}",
        "Cost": cost_words(summary.cost),
        "Duration": duration(summary.seconds),
        "Started (UTC)": started.strftime("%Y-%m-%d %H:%M:%S"),
    }


def _said(columns: Iterable[SummaryColumn], summary: RunSummary) -> dict[str, str]:
    """What columns say of one run, by their titles."""
    return {column.title: column.told(summary) for column in filled(columns, [summary])}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A node as the template writes it.

    Attributes:
        number: its id on the page.
        level: how deep it is, from 1 on.
        n_closed: how many nodes end before it begins.
        cause: why it became necessary; "" = nothing says so.
        cause_number: of the node that made it so, where it is on the page.
        blocks: what its events say.
    """

    number: int
    level: int
    n_closed: int
    state: str
    is_open: bool
    sign: str
    title: str
    kind: str
    words: str
    figures: list[str]
    cause: str
    cause_number: int | None
    blocks: Sequence[PageBlock]


def _rows(tree: RunTree, blocks: Mapping[NodePath, Sequence[PageBlock]]) -> Iterator[_Row]:
    """All nodes below the run, in a flat list, since a tree can be very deep."""
    is_open = _open_nodes(tree)
    numbers = {path: index for index, path in enumerate(tree.nodes)}
    depth = 0
    for level, node in tree.walk():
        if node.path == ROOT:
            continue
        words = state_word(node)
        cause = None if node.cause is None else tree.path_of(node.cause)
        yield _Row(
            number=numbers[node.path],
            level=level,
            n_closed=max(0, depth - level + 1),
            state=str(node.state),
            is_open=node.path in is_open,
            sign=NODE_LOOKS[node.state].sign,
            title=numbered_title(node, node.title),
            kind=node_kind(node.kind).word,
            words=f"{words}: {node.reason}" if node.reason else words,
            figures=list(node_figures(node)),
            cause="" if node.cause is None else node.cause_text,
            cause_number=None if cause is None or cause == ROOT else numbers.get(cause),
            blocks=blocks.get(node.path, ()),
        )
        depth = level


def _open_nodes(tree: RunTree) -> set[NodePath]:
    """Plans, and everything that leads to trouble."""
    found = {
        node.path
        for node in tree.nodes.values()
        if node_kind(node.kind).is_route and node.state is not NodeState.KEPT
    }
    for node in tree.nodes.values():
        if node.state in _TROUBLE:
            path = node.parent
            while path is not None and path not in found:
                found.add(path)
                path = tree.nodes[path].parent
    return found
