"""Which edit answers a question with yes, and which one says "never".

Naming parts reads some hundred texts, up to a second; not for the GUI thread.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolplanner_core.curation.edits.describe import Describe, Rename
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.exclude import Exclude
from toolplanner_core.curation.edits.link import Link
from toolplanner_core.curation.edits.merge import Merge
from toolplanner_core.curation.edits.move import Move, NewToolkit
from toolplanner_core.curation.grouping.splitting import propose_split_of
from toolplanner_core.curation.naming.proposed_name import propose_name, propose_names
from toolplanner_core.curation.naming.toolkit_names import ToolkitText
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.domain.api import Api
from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.curated_tables import all_exclusions
from toolplanner_core.workspace.toolkits import get_toolkit, member_rowids


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What "accept" would do.

    Attributes:
        edit: None where accepting only notes that a person has looked.
        origin: for the history.
        words: what happens, as a sentence.
    """

    edit: Edit | None
    origin: Mapping[str, Any]
    words: str


def propose(workspace: Workspace, candidate: Candidate) -> Proposed:
    """The edit that a yes makes.

    Raises:
        NotFound: a toolkit it is about never existed.
    """
    edit, words = _PROPOSERS[candidate.kind](workspace, candidate)
    return Proposed(edit=edit, origin={"by": "review", "question": candidate.key}, words=words)


def propose_never(workspace: Workspace, candidate: Candidate) -> Link | None:
    """The link that keeps every later clustering from it, too: between the two most central APIs.

    None where the question is about something that no link can say.
    """
    kind, toolkits = candidate.kind, [ToolkitId(one) for one in candidate.toolkits]
    if kind is CandidateKind.MERGE:
        ends = [_medoid(workspace, toolkit) for toolkit in toolkits[:2]]
        link = LinkKind.CANNOT
    elif kind is CandidateKind.MOVE:
        ends = [candidate.apis[0], _medoid(workspace, toolkits[1])]
        link = LinkKind.CANNOT
    elif kind is CandidateKind.SPLIT:
        leaving = set(candidate.apis)
        members = member_rowids(workspace, toolkits[0])
        ends = [
            next((one for one in members if (one in leaving) is side), None)
            for side in (True, False)
        ]
        link = LinkKind.MUST
    else:
        return None
    rowids = tuple(one for one in ends if one is not None)
    return Link(rowids=rowids, link=link.value) if len(set(rowids)) == 2 else None


def best_documented(workspace: Workspace, rowids: Sequence[int]) -> int:
    """Of copies the one to keep: not excluded, then with most documentation, then the first."""
    apis = apis_by_rowid(workspace, rowids)
    excluded = all_exclusions(workspace.reader())
    return max(sorted(apis), key=lambda rowid: (rowid not in excluded, _documentation(apis[rowid])))


def _merge(workspace: Workspace, candidate: Candidate) -> tuple[Edit, str]:
    large, small = (ToolkitId(one) for one in candidate.toolkits[:2])
    into, gone = get_toolkit(workspace, large), get_toolkit(workspace, small)
    return (
        Merge(toolkits=(large, small), into=large),
        f"“{gone.name}” ends; its {counted(gone.size, 'API')} join the"
        f" {counted(into.size, 'API')} of “{into.name}”.",
    )


def _split(workspace: Workspace, candidate: Candidate) -> tuple[Edit, str]:
    toolkit = ToolkitId(candidate.toolkits[0])
    found = propose_split_of(workspace, toolkit, candidate.apis)
    stays, part = found.parts[0], found.parts[1]
    return (
        found.edit,
        f"{counted(len(part.rowids), 'API')} become “{part.name}”;"
        f" {counted(len(stays.rowids), 'API')} stay in “{stays.name}”.",
    )


def _move(workspace: Workspace, candidate: Candidate) -> tuple[Edit, str]:
    own, target = (get_toolkit(workspace, ToolkitId(one)) for one in candidate.toolkits[:2])
    return (
        Move(rowids=candidate.apis, to=target.id),
        f"It leaves “{own.name}” and is pinned in “{target.name}”.",
    )


def _duplicate(workspace: Workspace, candidate: Candidate) -> tuple[Edit, str]:
    kept = best_documented(workspace, candidate.apis)
    apis = apis_by_rowid(workspace, candidate.apis)
    excluded = all_exclusions(workspace.reader())
    others = tuple(one for one in candidate.apis if one != kept and one not in excluded)
    return (
        Exclude(rowids=others, reason=f"duplicate of {apis[kept].id}"),
        f"“{apis[kept].title}” ({apis[kept].key}), the best documented, is kept;"
        f" {counted(len(others), 'API')} like it stay on the map but are offered to no plan any"
        " more.",
    )


def _name(workspace: Workspace, candidate: Candidate) -> tuple[Edit | None, str]:
    toolkit = get_toolkit(workspace, ToolkitId(candidate.toolkits[0]))
    text = _text_of(workspace, toolkit.id)
    if text.name == toolkit.name or text.name.startswith("Unnamed"):
        return None, (
            "By rule it would have no better name. Accepting notes that you have looked; rename it"
            " by hand with F2."
        )
    return (
        Rename(toolkit=toolkit.id, name=text.name, author=Author.PERSON.value),
        f"“{toolkit.name}” is called “{text.name}” from now on.",
    )


def _description(workspace: Workspace, candidate: Candidate) -> tuple[Edit | None, str]:
    toolkit = get_toolkit(workspace, ToolkitId(candidate.toolkits[0]))
    text = _text_of(workspace, toolkit.id).description
    if not text or text == toolkit.description:
        return None, (
            "The documentation says no more than the description does. Accepting notes that you"
            " have looked; describe it by hand with Shift+F2."
        )
    return (
        Describe(toolkit=toolkit.id, description=text, author=Author.RULE.value),
        f"The description becomes: {text}",
    )


def _homeless(workspace: Workspace, candidate: Candidate) -> tuple[Edit | None, str]:
    if candidate.toolkits:
        target = get_toolkit(workspace, ToolkitId(candidate.toolkits[0]))
        return (
            Move(rowids=candidate.apis, to=target.id),
            f"It is pinned in “{target.name}”.",
        )
    if len(candidate.apis) > 1:
        text = propose_name(workspace, candidate.apis)
        return (
            NewToolkit(rowids=candidate.apis, name=text.name, description=text.description),
            f"{counted(len(candidate.apis), 'API')} become the toolkit “{text.name}”.",
        )
    return None, "Nothing: no toolkit is near. Accepting notes that you have looked."


def _blamed(workspace: Workspace, candidate: Candidate) -> tuple[None, str]:
    name = get_toolkit(workspace, ToolkitId(candidate.toolkits[0])).name
    return None, (
        f"Nothing is changed: look at “{name}” and its runs, then merge, split or move by hand."
        " Accepting notes that you have looked."
    )


_PROPOSERS = {
    CandidateKind.MERGE: _merge,
    CandidateKind.SPLIT: _split,
    CandidateKind.MOVE: _move,
    CandidateKind.DUPLICATE: _duplicate,
    CandidateKind.NAME: _name,
    CandidateKind.DESCRIPTION: _description,
    CandidateKind.HOMELESS: _homeless,
    CandidateKind.BLAMED: _blamed,
}


def _text_of(workspace: Workspace, toolkit: ToolkitId) -> ToolkitText:
    """Name and description by rule; its own name is free for it."""
    members = member_rowids(workspace, toolkit)
    (text,) = propose_names(workspace, [members], without=toolkit)
    return text


def _medoid(workspace: Workspace, toolkit: ToolkitId) -> int | None:
    return next(iter(member_rowids(workspace, toolkit)), None)


def _documentation(api: Api) -> int:
    parameters = sum(len(one.description) + 1 for one in api.parameter_list)
    return len(api.description) + parameters + (100 if api.response_schema else 0)
