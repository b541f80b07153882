"""One run as one HTML file that anybody can read: the tree as nested blocks, payloads collapsed.

The file needs nothing else and can do nothing: no script, no image, no font, no link to outside;
its policy (Content-Security-Policy) allows one style sheet, by hash, and all text is escaped
(design/security.md). It follows the reader's light or dark setting and works without a mouse.
"""

import base64
import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from toolplanner_core import __version__
from toolplanner_core.domain.ids import ROOT, NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.llm.model import model_words
from toolplanner_core.resources import resource_root
from toolplanner_core.runs.export.html_payloads import show_event
from toolplanner_core.runs.export.html_text import one_line, safe
from toolplanner_core.runs.export.jsonl import iter_full_rows
from toolplanner_core.runs.reading import get_summary, typed
from toolplanner_core.runs.spec import RunSummary
from toolplanner_core.runs.telling.evidence_words import evidence_lines, evidence_title
from toolplanner_core.runs.telling.run_list import provider_words
from toolplanner_core.runs.telling.states import NODE_LOOKS, state_word
from toolplanner_core.runs.telling.story import story_of
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.render import node_figures, numbered_title
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.runs.wording import blamed_words, cost_words
from toolplanner_core.strategies.declared import node_kind
from toolplanner_core.words.wording import duration
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
    summary = get_summary(workspace, run)
    tree = RunTree()
    inside: defaultdict[NodePath, list[str]] = defaultdict(list)
    room = _LONGEST_PAGE
    for row in iter_full_rows(workspace, run):
        records = typed([row])
        tree.apply(records)
        for fragment in show_event(records[0].event):
            if len(fragment) <= room:
                inside[row.path].append(fragment)
                room -= len(fragment)
    return "".join(_page(summary, tree, inside))


def _page(
    summary: RunSummary, tree: RunTree, inside: "defaultdict[NodePath, list[str]]"
) -> Iterator[str]:
    yield (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Run {summary.run} · {one_line(summary.query[:120])}</title>\n"
        f"<style>{_STYLE}</style></head>\n<body><main>\n"
    )
    yield from _head(summary, story_of(tree.nodes), tree.root.data if tree.root else {})
    yield '<section class="card"><h2>What happened</h2>\n'
    yield f'<div class="inside">{"".join(inside[ROOT])}</div>\n<ul class="tree">\n'
    yield from _nodes(tree, inside)
    yield (
        "</ul></section>\n"
        f"<footer>Written by ToolPlanner {safe(__version__)}. Times count from the start of the"
        " run; the whole run with all texts is in the JSONL export.</footer>\n"
        "</main></body></html>\n"
    )


def _head(summary: RunSummary, story: str, root: Mapping[str, Any]) -> Iterator[str]:
    evidence = evidence_lines(root)
    started = datetime.fromtimestamp(summary.started_us / 1e6, tz=UTC)
    status = str(summary.status)
    facts = {
        "Strategy": summary.strategy,
        "Model": model_words(summary.model),
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
        "Tokens": f"{summary.tokens:,}",
        "Cost": cost_words(summary.cost),
        "Duration": duration(summary.seconds),
        "Started (UTC)": started.strftime("%Y-%m-%d %H:%M:%S"),
    }
    origin = " · imported" if summary.is_imported else ""
    if summary.parent_run is not None:
        origin = f" · fork of run {summary.parent_run}"
    yield (
        f'<header class="card"><div class="over">Run {summary.run}{origin} '
        f'<span class="pill {safe(status)}">{safe(status.replace("_", " "))}</span></div>\n'
        f"<h1>{safe(summary.query)}</h1>\n"
    )
    if story:
        yield f'<p class="over">{safe(story)}</p>\n'
    if summary.answer:
        yield f'<p class="answer">{safe(summary.answer)}</p>\n'
    if summary.reason:
        yield f'<p class="over">{safe(summary.reason)}</p>\n'
    if summary.judged:
        yield f'<p class="over">{safe(summary.judged)}</p>\n'
    for line in evidence:
        yield f'<p class="over">{safe(evidence_title(root))}: {safe(line)}</p>\n'
    yield "<dl>"
    for name, value in facts.items():
        yield f"<div><dt>{safe(name)}</dt><dd>{safe(value)}</dd></div>"
    yield "</dl></header>\n"


def _nodes(tree: RunTree, inside: "defaultdict[NodePath, list[str]]") -> Iterator[str]:
    """All nodes below the run; without recursion, since a tree can be very deep."""
    is_open = _open_nodes(tree)
    ids = {path: index for index, path in enumerate(tree.nodes)}
    depth = 0
    for level, node in tree.walk():
        if node.path == ROOT:
            continue
        while depth >= level:
            yield "</ul></details></li>\n"
            depth -= 1
        depth = level
        state = node.state
        flag = " open" if node.path in is_open else ""
        yield (
            f'<li id="n{ids[node.path]}" class="{safe(state)}"><details{flag}>'
            f"<summary>{_summary(node)}</summary>"
        )
        said = _because(tree, node, ids) + "".join(inside[node.path])
        if said:
            yield f'<div class="inside">{said}</div>'
        yield "<ul>"
    while depth > 0:
        yield "</ul></details></li>\n"
        depth -= 1


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


def _summary(node: Node) -> str:
    title = numbered_title(node, node.title)
    look = NODE_LOOKS[node.state]
    words = state_word(node)
    if node.reason:
        words = f"{words}: {node.reason}"
    parts = [
        f'<span class="sign" aria-hidden="true">{look.sign}</span>'
        f'<span class="title">{one_line(title)}</span>'
        f'<span class="kind">{safe(node_kind(node.kind).word)}</span>'
        f'<span class="state">{one_line(words)}</span>'
    ]
    parts += [f'<span class="number">{safe(figure)}</span>' for figure in node_figures(node)]
    return "".join(parts)


def _because(tree: RunTree, node: Node, ids: dict[NodePath, int]) -> str:
    """Why the node became necessary, as a link to what made it so."""
    if not node.cause_text or node.cause is None:
        return ""
    path = tree.path_of(node.cause)
    words = one_line(node.cause_text)
    if path is None or path == ROOT or path not in ids:
        return f"<p>↰ {words}</p>"
    return f'<p><a href="#n{ids[path]}">↰ {words}</a></p>'
