"""What the inspector says of a node: what was said, arguments, result and the reasons, as texts.

A pure function of the node's events, so that it is tested without a window. Everything that came
from a tool or a model stays a plain string here and is shown as plain text. The window reads the
events on a thread beside its own and makes the report on its own; the command line does both at
once (`read_report`). Candidates that were considered stand in it with their scores.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from typing import Any, NamedTuple

from toolplanner_core.domain.failure import EXPLANATIONS, PUBLISHED, ErrorClass
from toolplanner_core.domain.ids import ApiId, NodePath, RunId, ToolkitId
from toolplanner_core.domain.observation import BY_PERSON, NOT_RECORDED, SIMULATED
from toolplanner_core.errors import NotFound
from toolplanner_core.llm.model import EXAMPLE_WORDS, is_example
from toolplanner_core.prompts.programs import number_lines
from toolplanner_core.prompts.texts import hash_of
from toolplanner_core.providers.provider import providers
from toolplanner_core.runs.events.call import (
    CallFailed,
    CallRefused,
    CallReturned,
    CallSent,
)
from toolplanner_core.runs.events.decision import CatalogueLookup, Decided, Noted
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.question import ModelAsked
from toolplanner_core.runs.events.run import RunStarted
from toolplanner_core.runs.log.prompts_used import is_edited, prompt_words
from toolplanner_core.runs.log.stored_runs import load_records, load_tree
from toolplanner_core.runs.presentation.conversation import Conversation, conversations
from toolplanner_core.runs.presentation.edit_words import (
    decided_apis,
    describe_edit,
    describe_remarks,
)
from toolplanner_core.runs.presentation.run_list import provider_words
from toolplanner_core.runs.presentation.sections import Section, attached, pretty, pretty_text
from toolplanner_core.runs.presentation.states import state_word
from toolplanner_core.runs.tree.formatting import (
    evidence_lines,
    evidence_title,
    failure_words,
    token_words,
)
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.unserved_needs import unserved_needs
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.words.formatting import duration, score
from toolplanner_core.words.window_places import SEE_NODES
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid, rowids_of

_SAID = {"health": "smoothed health"}
"""Signals by other words than in the log: the health that lists show is the plain share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsideredCandidate:
    """An API, a toolkit or a demonstration that was considered.

    Attributes:
        id: the API's or toolkit's own, as text.
        parts: the signals that the score was made of.
        became: "failed: not found"; "" = it was not taken.
    """

    id: str
    title: str
    score: float
    parts: str
    became: str = ""


def considered_candidates(
    known: Sequence[ConsideredCandidate], rows: Sequence[Mapping[str, Any]]
) -> list[ConsideredCandidate]:
    """Add what was found or offered; what is offered again keeps its place with its new score."""
    found = {each.id: each for each in known}
    for row in rows:
        shown = _titled(row)
        key = str(row.get("id") or row.get("api") or row.get("toolkit") or shown)
        points = row.get("score", 0.0)
        parts: Any = row.get("parts") or {}
        found[key] = ConsideredCandidate(
            id=key,
            title=shown or key,
            score=float(points) if isinstance(points, int | float) else 0.0,
            parts=" · ".join(f"{_SAID.get(k, k)} {float(v):.2f}" for k, v in parts.items()),
        )
    return list(found.values())


def first_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """Which of several came first, and by which signals; "" where nothing was scored."""
    ranked = considered_candidates((), rows)
    if len(ranked) < 2 or not ranked[0].score:
        return ""
    first, second = ranked[:2]
    by = f" ({first.parts})" if first.parts else ""
    return (
        f"{first.title}, of {len(ranked):,}: {score(first.score)}{by};"
        f" next {second.title}: {score(second.score)}"
    )


def became(one: ConsideredCandidate, below: Sequence[Node]) -> str:
    """What came of it in the nodes below."""
    for node in below:
        if one.id in (str(node.data.get("api")), str(node.data.get("toolkit"))):
            word = state_word(node)
            return f"{word}: {node.reason}" if node.reason else word
    return ""


def _titled(row: Mapping[str, Any]) -> str:
    shown: Any = row.get("demonstration")
    if isinstance(shown, Mapping):
        return f"Demonstration: {shown.get('query', '')}"
    return str(row.get("title") or row.get("name") or "")


_NOT_RECORDED = (
    "Only recordings answer in this run, and there is none for this call: no API was asked."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument of a call and where its value came from, "" when it was filled in."""

    name: str
    value: str
    origin: str


@dataclass(slots=True, kw_only=True)
class NodeReport:
    """What is known of a node. Empty parts get no tab.

    Attributes:
        conversations: what was asked and said, turns of one dialogue as one.
        facts: one line under the title: state, time, tokens, who did it.
        cause: path of the node that made this one necessary.
        api, toolkit: what the node is about, to be shown on the map.
    """

    title: str
    facts: str
    conversations: list[Conversation] = field(default_factory=list[Conversation])
    arguments: list[Argument] = field(default_factory=list[Argument])
    result: list[Section] = field(default_factory=list[Section])
    why: list[Section] = field(default_factory=list[Section])
    candidates: list[ConsideredCandidate] = field(default_factory=list[ConsideredCandidate])
    edits: list[Section] = field(default_factory=list[Section])
    cause: NodePath | None = None
    cause_text: str = ""
    api: ApiId | None = None
    toolkit: ToolkitId | None = None


def make_report(
    node: Node,
    records: Sequence[Record],
    *,
    cause: NodePath | None,
    below: Sequence[Node] = (),
    names: Mapping[ApiId, str] | None = None,
    said: Sequence[Conversation] | None = None,
    unserved: str = "",
) -> NodeReport:
    """The report of a node.

    Args:
        records: events of the node and of its questions and calls, in order, with all texts.
        cause: the node its cause belongs to.
        below: the nodes right below it.
        names: titles of the APIs that decisions name, see `edit_words.decided_apis`.
        said: their conversations, if somebody told them already.
        unserved: what the run shows of a need that its toolkit could not serve.
    """
    report = NodeReport(title=node.title, facts=_facts(node, records))
    report.cause, report.cause_text = cause, node.cause_text
    report.api, report.toolkit = _subject(node)
    report.conversations = list(conversations(records) if said is None else said)
    for record in records:
        _add(report, record)
        edit = describe_edit(record, names or {})
        report.edits += [edit] if edit is not None else []
    if node.is_run:
        answer = str(node.data.get("answer", ""))
        if answer:
            title = "Answer, simulated" if node.data.get(SIMULATED) else "Answer"
            if is_example(str(node.data.get("model", ""))):
                title = f"Answer ({EXAMPLE_WORDS})"
            if node.data.get("is_your_answer"):
                title = "Answer, written by you"
            report.result.insert(0, Section(title=title, text=answer))
        if lines := evidence_lines(node.data):
            report.result.append(Section(title=evidence_title(node.data), text="\n".join(lines)))
    steps = [each for each in below if not each.is_leaf]
    if node_kind(node.kind).ahead is not None and steps:
        lines = (f"{n}  {step.title}  ({step.state.value})" for n, step in enumerate(steps, 1))
        report.result.insert(0, Section(title="Steps", text="\n".join(lines)))
    report.candidates = [replace(one, became=became(one, below)) for one in report.candidates]
    report.result[:0] = _shown_code(node)
    report.why += [*_shown_data(node), *_error_type(node)]
    _add_reasons(report, node)
    if unserved:
        report.why.append(Section(title="Whether another toolkit could", text=unserved))
    return report


def _shown_data(node: Node) -> list[Section]:
    """What its kind says that people see of its data: scores, ranks, what it remembers."""
    lines = [
        f"{shown.word}: {words}"
        for shown in node_kind(node.kind).shown
        if not shown.is_code and (words := shown.text_of(node.data))
    ]
    return [Section(title="Known of it", text="\n".join(lines))] if lines else []


def _error_type(node: Node) -> list[Section]:
    """What kind of failure it is, under the name that the literature gives it."""
    if node.error not in PUBLISHED:
        return []
    error = ErrorClass(node.error)
    text = f"{PUBLISHED[error]}: {EXPLANATIONS[error]}"
    return [Section(title="Error type (Tool-Planner, figure 5)", text=text)]


def _shown_code(node: Node) -> list[Section]:
    """The texts in a fixed-width font that its kind declares, such as a program."""
    sections: list[Section] = []
    for shown in node_kind(node.kind).shown:
        text = shown.text_of(node.data) if shown.is_code else ""
        if text and shown.marked:
            line = node.data.get(shown.marked)
            text = number_lines(text, line if isinstance(line, int) else None)
        if text:
            is_program = shown.is_program or bool(shown.marked)
            sections.append(
                Section(title=shown.word, text=text, is_code=True, is_program=is_program)
            )
    return sections


def _facts(node: Node, records: Sequence[Record]) -> str:
    word = state_word(node)
    parts = [word if not node.reason or node.reason == word else f"{word}: {node.reason}"]
    if node.took_ns is not None:
        parts.append(duration(node.took_ns / 1e9))
    if node.tokens:
        parts.append(token_words(node.tokens, node.estimated_tokens))
    for record in records:
        event = record.event
        if isinstance(event, ModelAsked) and event.model not in parts:
            parts.append(event.model)
        if isinstance(event, ModelAsked) and any(is_edited(*one) for one in event.prompts.items()):
            parts.append("edited prompt")
    parts += _answered_by(
        [r.event for r in records if isinstance(r.event, CallReturned | CallFailed)]
    )
    if node.is_run:
        parts += [str(node.data.get("model", "")), provider_words(node.data)]
    return " · ".join(dict.fromkeys(part for part in parts if part))


def _answered_by(ends: Sequence[CallReturned | CallFailed]) -> list[str]:
    """Who answered a call; where a person did in the end, what the API itself had said."""
    if not ends or ends[-1].origin != BY_PERSON:
        return [f"answered by {providers.title_of(end.origin)}" for end in ends if end.origin]
    own = [end for end in ends if end.origin != BY_PERSON]
    return [
        f"{providers.title_of(end.origin)} had said: "
        + (failure_words(end.error, end.status) if isinstance(end, CallFailed) else "ok")
        for end in own[-1:]
    ]


def _subject(node: Node) -> tuple[ApiId | None, ToolkitId | None]:
    api, toolkit = node.data.get("api"), node.data.get("toolkit")
    return (
        ApiId(api) if isinstance(api, str) and api else None,
        ToolkitId(toolkit) if isinstance(toolkit, int) else None,
    )


def _add(report: NodeReport, record: Record) -> None:
    match record.event:
        case CallSent() as event:
            report.arguments = _arguments(event.arguments, event.bindings)
            report.result.append(
                Section(
                    title=f"Request to {event.title}", text=pretty(event.arguments), is_code=True
                )
            )
        case CallReturned() | CallFailed() as event:
            report.result += [_reply(event), *attached(event.pictures, event.body)]
            if event.headers:
                lines = [f"{name}: {value}" for name, value in event.headers.items()]
                report.result.append(
                    Section(title="Response headers", text="\n".join(lines), is_code=True)
                )
        case CallRefused() as event:
            report.arguments = _arguments(event.arguments, {})
            report.result.append(Section(title="No call was made", text=event.message))
        case Decided() as event if event.alternatives:
            report.candidates = considered_candidates(report.candidates, event.alternatives)
        case CatalogueLookup() as event if event.found:
            report.candidates = considered_candidates(report.candidates, event.found)
            if first := first_words(event.found):
                report.why.append(Section(title="What came first", text=first))
        case ModelAsked(prompts=prompts) if prompts:
            lines = "\n".join(prompt_words(*one, is_titled=True) for one in prompts.items())
            section = Section(title="Prompt", text=lines)
            report.why += [section] if section not in report.why else []
        case RunStarted(options=options) if options.get("prompts"):
            edited = options["prompts"].items()
            lines = "\n".join(
                prompt_words(name, hash_of(text), is_titled=True) for name, text in edited
            )
            report.why.append(Section(title="Edited prompts", text=lines))
        case Noted() as event:
            report.why.append(Section(title="Note", text=event.text))
        case _:
            beside = describe_remarks(record.event)
            report.why += [beside] if beside is not None else []


def _reply(event: CallReturned | CallFailed) -> Section:
    status = "" if event.status is None else f" · status {event.status}"
    origin = f" · {providers.title_of(event.origin)}" if event.origin else ""
    text = event.body or (event.message if isinstance(event, CallFailed) else "")
    return Section(
        title=f"Response{status}{origin} · {duration(event.elapsed_ms / 1000)}",
        text=pretty_text(text),
        is_code=True,
    )


def _arguments(values: Mapping[str, Any], bindings: Mapping[str, Any]) -> list[Argument]:
    rows: list[Argument] = []
    for name, value in values.items():
        binding = bindings.get(name)
        origin = ""
        if isinstance(binding, Mapping):
            place = " › ".join(str(part) for part in binding.get("path", ()))
            origin = f"from step {binding.get('step')}" + (f": {place}" if place else "")
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        rows.append(Argument(name=name, value=text, origin=origin))
    return rows


def _add_reasons(report: NodeReport, node: Node) -> None:
    sections: list[Section] = []
    if node.error:
        known = node.error in {e.value for e in ErrorClass}
        explanation = EXPLANATIONS[ErrorClass(node.error)] if known else "An unknown class."
        title = node.error.replace("_", " ").capitalize()
        if node.data.get("origin") == NOT_RECORDED:
            title, explanation = "No such recording", _NOT_RECORDED
        sections.append(Section(title=title, text=explanation))
    if node.cause_text:
        text = node.cause_text[:1].upper() + node.cause_text[1:]
        sections.append(Section(title="Why this came up", text=text))
    if node.is_run and node.reason:
        sections.append(Section(title="How it ended", text=node.reason))
    report.why[:0] = sections


_MOST_STEPS = 500
"""Listed of one node; all are in the tree."""
_FOLLOWING = 4
"""Questions after a node that are looked at for what came of its last calls."""


class NodeRecords(NamedTuple):
    """Its events with all texts, its conversations, the titles of the APIs that decisions name."""

    records: Sequence[Record]
    said: Sequence[Conversation]
    names: Mapping[ApiId, str]


def read_node_records(
    workspace: Workspace, run: RunId, node: Node, nodes: Mapping[NodePath, Node]
) -> NodeRecords:
    """Read what is told of a node. Blocks; the tree may grow meanwhile."""
    own = [node.path]
    if not node.is_leaf:
        own += [path for path in list(node.children) if nodes[path].is_leaf]
    records = [record for path in own for record in load_records(workspace, run, path)]
    following = _following([nodes[path] for path in own], list(nodes.values()))
    later = [record for path in following for record in load_records(workspace, run, path)]
    rows = rowids_of(workspace, decided_apis(records)).values()
    names = {api.id: api.title for api in apis_by_rowid(workspace, list(rows)).values()}
    records.sort(key=lambda r: r.seq)
    return NodeRecords(records, conversations(records, later), names)


def _following(own: Sequence[Node], nodes: Sequence[Node]) -> list[NodePath]:
    """The next questions after the last one here."""
    last = max((node.opened_seq for node in own if node.is_question), default=0)
    after = (node for node in nodes if last and node.is_question and node.opened_seq > last)
    return [node.path for node in nsmallest(_FOLLOWING, after, key=lambda n: n.opened_seq)]


def report_of(
    node: Node, nodes: Mapping[NodePath, Node], told: NodeRecords, *, cause: NodePath | None
) -> NodeReport:
    """The report of a node; `cause` is the node its cause belongs to."""
    below = [nodes[path] for path in node.children[:_MOST_STEPS]]
    is_unserved = node.error == ErrorClass.CLUSTER_INCOMPLETE
    needs = unserved_needs(nodes) if is_unserved else ()
    return make_report(
        node,
        told.records,
        cause=cause,
        below=below,
        names=told.names,
        said=told.said,
        unserved=next((need.words for need in needs if need.step == node.path), ""),
    )


def read_report(workspace: Workspace, run: RunId, path: NodePath) -> NodeReport:
    """What is known of a node of a stored run. Blocks.

    Raises:
        NotFound: no such run or node.
    """
    tree = load_tree(workspace, run)
    node = tree.nodes.get(path)
    if node is None:
        raise NotFound(f"Run {run} has no node {path}", todo=SEE_NODES)
    told = read_node_records(workspace, run, node, tree.nodes)
    cause = None if node.cause is None else tree.path_of(node.cause)
    return report_of(node, tree.nodes, told, cause=cause)
