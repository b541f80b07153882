"""Make a case of a run: its query and how it was run, and what it showed that may be demanded.

Nothing is demanded but what a person ticks; `proposed_case` fills in what the run showed.
"""

from dataclasses import dataclass
from typing import Any

from toolplanner_core.cases.case_runs import keys_of
from toolplanner_core.cases.run_facts import gather_facts
from toolplanner_core.domain.cases import Case, Expectation
from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.config.spec import Limits
from toolplanner_core.runs.log.stored_runs import get_summary, read_run
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import free_case_id
from toolplanner_core.workspace.runs import get_run

_TITLE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDraft:
    """A case that may be made of a run.

    Attributes:
        case: with the outcome, and the toolkits that answered, as what must be true.
        toolkits: names of those that answered, in the order in which they did.
        apis: keys of the APIs that answered.
        answer: of the run.
    """

    case: Case
    toolkits: tuple[str, ...]
    apis: tuple[str, ...]
    answer: str


def draft_case(workspace: Workspace, run: RunId) -> CaseDraft:
    """What a case of this run can demand. Blocks.

    Raises:
        NotFound: no such run.
        BadInput: it goes on still, or was imported and cannot be run again.
    """
    summary = get_summary(workspace, run)
    if summary.status is Status.RUNNING:
        raise BadInput("A run that goes on cannot be saved as a case", todo="Wait for its end")
    if summary.is_imported:
        raise BadInput(
            "An imported run cannot be saved as a case",
            why="How it was run elsewhere is not known, so it cannot be run again",
        )
    records = read_run(workspace, run)
    tree = RunTree()
    tree.apply(records)
    facts = gather_facts(records, tree)
    answered = [fact for fact in facts.calls if not fact.error]
    keys = keys_of(workspace, answered)
    toolkits = tuple(dict.fromkeys(fact.toolkit for fact in answered if fact.toolkit))
    title = one_line(summary.query, _TITLE)
    expected = Expectation(
        status=str(summary.status),
        toolkits=toolkits,
        reason_given=summary.status is Status.UNSOLVED,
    )
    case = Case(
        id=free_case_id(workspace, title),
        title=title,
        query=summary.query,
        options=_options(workspace, run),
        expected=expected,
    )
    apis = tuple(dict.fromkeys(keys[fact.api] for fact in answered))
    return CaseDraft(case=case, toolkits=toolkits, apis=apis, answer=summary.answer)


def _options(workspace: Workspace, run: RunId) -> dict[str, Any]:
    """How it was run, where that differs from how runs are made by default; without faults, which
    would make every later run of the case fail."""
    row = get_run(workspace, run)
    kept: dict[str, Any] = {
        "strategy": row.strategy,
        "model": row.model,
        "provider": row.provider,
    }
    for name in ("options", "provider_options", "roles", "seed"):
        if row.options.get(name):
            kept[name] = row.options[name]
    known = {each: getattr(Limits(), each) for each in Limits.__slots__}
    limits = row.options.get("limits") or {}
    changed = {n: v for n, v in limits.items() if n in known and v != known[n]}
    return {**kept, "limits": changed} if changed else kept
