"""Which edit answers a question with yes, and which one says "never".

Naming parts reads some hundred texts, up to a second; not for the GUI thread.
"""

from collections.abc import Sequence
from typing import NamedTuple

from toolplanner_core.curation.edits.describe import Describe, Rename
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.marks import Exclude, Link
from toolplanner_core.curation.edits.move import Merge, Move, NewToolkit
from toolplanner_core.curation.edits.remembered_names import names_by_rule, propose_name
from toolplanner_core.curation.grouping.splitting import propose_split_of
from toolplanner_core.curation.naming.same_name import differs_in_form_only
from toolplanner_core.curation.naming.toolkit_names import ToolkitText
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.domain.api import Api
from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author, Toolkit
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.curated_tables import CuratedTables, all_exclusions, all_names
from toolplanner_core.workspace.toolkits import get_toolkit, member_rowids

_REJECT = "Reject leaves it as it is"


class Proposed(NamedTuple):
    """What "accept" would do.

    Attributes:
        edit: None where there is nothing to accept.
        words: what happens, as a sentence.
    """

    edit: Edit | None
    words: str


def propose(
    workspace: Workspace, candidate: Candidate, *, text: ToolkitText | None = None
) -> Proposed:
    """The edit that a yes makes.

    Args:
        text: of `texts_for_many`; None asks the rule now.

    Raises:
        NotFound: a toolkit it is about never existed.
    """
    by_rule = _BY_RULE.get(candidate.kind)
    if by_rule is not None:
        return by_rule(workspace, candidate, text)
    return _PROPOSERS[candidate.kind](workspace, candidate)


def texts_for_many(workspace: Workspace, candidates: Sequence[Candidate]) -> dict[str, ToolkitText]:
    """By key what the rule calls the new toolkits of splits, and the toolkits whose name or
    description is asked about; found together, in a fraction of the time."""
    groups: list[list[int]] = []
    place: dict[str, int] = {}
    kept: dict[int, str] = {}
    own: set[int] = set()
    with workspace.snapshot() as db:
        names, view = all_names(db), CuratedTables(db)
        for candidate in candidates:
            if candidate.kind not in _BY_RULE or candidate.toolkits[0] not in names:
                continue
            toolkit = candidate.toolkits[0]
            members, chosen = view.members(toolkit), set(candidate.apis)
            found = [list(members)]
            if candidate.kind is CandidateKind.SPLIT:
                part = [rowid for rowid in members if rowid in chosen]
                found = [[rowid for rowid in members if rowid not in chosen], part]
            else:
                kept[len(groups)] = names[toolkit]
                own.add(toolkit)
            if all(found):
                groups += found
                place[candidate.key] = len(groups) - 1
        taken = [name for toolkit, name in names.items() if toolkit not in own]
        texts = names_by_rule(db, groups, taken=taken, kept=kept) if groups else []
    return {key: texts[at] for key, at in place.items()}


def left_out(candidate: Candidate, edit: Edit | None) -> list[ToolkitId]:
    """The toolkits of a group that a person did not let join."""
    if candidate.kind is not CandidateKind.GROUP or not isinstance(edit, Merge):
        return []
    return [one for one in candidate.toolkits if one not in edit.toolkits]


def propose_never(workspace: Workspace, candidate: Candidate) -> Link | None:
    """The link that keeps every later clustering from it, too: between the two most central APIs.

    None where the question is about something that no link can say.
    """
    members = [member_rowids(workspace, toolkit) for toolkit in candidate.toolkits[:2]]
    ends: list[int] = []
    match candidate.kind:
        case CandidateKind.MERGE | CandidateKind.GROUP:
            ends = [*members[0][:1], *members[1][:1]]
        case CandidateKind.MOVE:
            ends = [candidate.apis[0], *members[1][:1]]
        case CandidateKind.STAND_IN:
            ends = [*candidate.apis]
        case CandidateKind.SPLIT:
            leaving = [one for one in members[0] if one in candidate.apis]
            staying = [one for one in members[0] if one not in candidate.apis]
            ends = [*leaving[:1], *staying[:1]]
        case _:
            pass
    link = LinkKind.MUST if candidate.kind is CandidateKind.SPLIT else LinkKind.CANNOT
    return Link(rowids=tuple(ends), link=link.value) if len(set(ends)) == 2 else None


def never_label(workspace: Workspace, candidate: Candidate) -> str:
    """What “never” says of a merge or a split; "" where the link says it best itself."""
    names = [f"“{get_toolkit(workspace, one).name}”" for one in candidate.toolkits[:2]]
    match candidate.kind:
        case CandidateKind.MERGE | CandidateKind.GROUP:
            return f"Never merge {names[0]} with {names[1]}"
        case CandidateKind.SPLIT:
            return f"Never split {names[0]}"
        case _:
            return ""


def best_documented(workspace: Workspace, rowids: Sequence[int]) -> int:
    """Of copies the one to keep: not excluded, then with most documentation, then the first."""
    apis = apis_by_rowid(workspace, rowids)
    excluded = all_exclusions(workspace.reader())
    return max(sorted(apis), key=lambda rowid: (rowid not in excluded, _documentation(apis[rowid])))


def _merge(workspace: Workspace, candidate: Candidate) -> Proposed:
    into, gone = (get_toolkit(workspace, one) for one in candidate.toolkits[:2])
    return Proposed(
        Merge(toolkits=(into.id, gone.id), into=into.id),
        f"“{gone.name}” ends; its {counted(gone.size, 'API')} join the"
        f" {counted(into.size, 'API')} of “{into.name}”, which keeps its name.",
    )


def _group(workspace: Workspace, candidate: Candidate) -> Proposed:
    into, *gone = (get_toolkit(workspace, one) for one in candidate.toolkits)
    if not gone:
        return Proposed(None, f"Nothing is left to join “{into.name}”. {_REJECT}.")
    names = ", ".join(f"“{one.name}”" for one in gone)
    n = sum(one.size for one in gone)
    return Proposed(
        Merge(toolkits=candidate.toolkits, into=into.id),
        f"{names} {'ends' if len(gone) == 1 else 'end'}; their {counted(n, 'API')} join the"
        f" {counted(into.size, 'API')} of “{into.name}”, which keeps its name.",
    )


def _split(workspace: Workspace, candidate: Candidate, text: ToolkitText | None) -> Proposed:
    found = propose_split_of(workspace, candidate.toolkits[0], candidate.apis, text=text)
    stays, part = found.parts[0], found.parts[1]
    whole = get_toolkit(workspace, found.toolkit).name
    called = "" if stays.name == whole else f", called “{stays.name}” then"
    with workspace.snapshot() as db:
        pins = CuratedTables(db).memberships(part.rowids).values()
    n_pinned = sum(membership.is_pinned for membership in pins)
    pinned = f" {counted(n_pinned, 'pinned API')} would leave, too." if n_pinned else ""
    return Proposed(
        found.edit,
        f"{counted(len(part.rowids), 'API')} become “{part.name}”;"
        f" {counted(len(stays.rowids), 'API')} stay in “{whole}”{called}.{pinned}",
    )


def _move(workspace: Workspace, candidate: Candidate) -> Proposed:
    own, target = (get_toolkit(workspace, one) for one in candidate.toolkits[:2])
    return Proposed(
        Move(rowids=candidate.apis, to=target.id),
        f"It leaves “{own.name}” and is pinned in “{target.name}”.",
    )


def _duplicate(workspace: Workspace, candidate: Candidate) -> Proposed:
    kept = best_documented(workspace, candidate.apis)
    apis = apis_by_rowid(workspace, candidate.apis)
    api = apis[kept]
    excluded = all_exclusions(workspace.reader())
    says = {rowid: _documentation(one) for rowid, one in apis.items() if rowid not in excluded}
    is_best = list(says.values()).count(says.get(kept, 0)) < 2
    why = (
        "whose description, parameters and reply say the most"
        if is_best
        else "documented as well as the best of the others and first in the catalogue"
    )
    others = tuple(one for one in candidate.apis if one != kept and one not in excluded)
    return Proposed(
        Exclude(rowids=others, reason=f"duplicate of “{api.title}”"),
        f"“{api.title}” ({api.key}), {why}, is kept; {counted(len(others), 'API')}"
        " like it stay on the map but are offered to no plan any more.",
    )


def _name(workspace: Workspace, candidate: Candidate, text: ToolkitText | None) -> Proposed:
    toolkit, told = _by_rule(workspace, candidate, text)
    if differs_in_form_only(told.name, toolkit.name) or told.name.startswith("Unnamed"):
        return Proposed(
            None,
            f"By rule it would have no better name. {_REJECT}; rename it by hand with F2.",
        )
    return Proposed(
        Rename(toolkit=toolkit.id, name=told.name, author=Author.PERSON.value),
        f"“{toolkit.name}” is called “{told.name}” from now on.",
    )


def _description(workspace: Workspace, candidate: Candidate, text: ToolkitText | None) -> Proposed:
    toolkit, told = _by_rule(workspace, candidate, text)
    if not told.description or told.description == toolkit.description:
        return Proposed(
            None,
            f"The documentation says no more than the description does. {_REJECT}; describe it by"
            " hand with Shift+F2.",
        )
    return Proposed(
        Describe(toolkit=toolkit.id, description=told.description, author=Author.RULE.value),
        f"The description becomes: {told.description}",
    )


def _homeless(workspace: Workspace, candidate: Candidate) -> Proposed:
    if candidate.toolkits:
        target = get_toolkit(workspace, candidate.toolkits[0])
        edit = Move(rowids=candidate.apis, to=target.id)
        return Proposed(edit, f"It is pinned in “{target.name}”.")
    if len(candidate.apis) > 1:
        text = propose_name(workspace, candidate.apis)
        return Proposed(
            NewToolkit(
                rowids=candidate.apis,
                name=text.name,
                description=text.description,
                author=Author.RULE.value,
            ),
            f"{counted(len(candidate.apis), 'API')} become the toolkit “{text.name}”.",
        )
    return Proposed(None, f"Nothing: no toolkit is near. {_REJECT}.")


def _blamed(workspace: Workspace, candidate: Candidate) -> Proposed:
    name = get_toolkit(workspace, candidate.toolkits[0]).name
    return Proposed(
        None,
        f"Nothing is changed: look at “{name}” and its runs, then merge, split or move by hand."
        f" {_REJECT}.",
    )


def _stand_in(workspace: Workspace, candidate: Candidate) -> Proposed:
    apis = apis_by_rowid(workspace, candidate.apis)
    names = [f"“{apis[rowid].title}”" for rowid in candidate.apis]
    if len(candidate.toolkits) > 1:
        own, target = (get_toolkit(workspace, one) for one in candidate.toolkits[:2])
        return Proposed(
            Move(rowids=candidate.apis[:1], to=target.id),
            f"{names[0]} leaves “{own.name}” and is pinned in “{target.name}”, where"
            f" {names[1]} is.",
        )
    return Proposed(
        Link(rowids=candidate.apis, link=LinkKind.MUST.value),
        f"{names[0]} and {names[1]} stay together in every later clustering.",
    )


_PROPOSERS = {
    CandidateKind.GROUP: _group,
    CandidateKind.MERGE: _merge,
    CandidateKind.MOVE: _move,
    CandidateKind.DUPLICATE: _duplicate,
    CandidateKind.HOMELESS: _homeless,
    CandidateKind.BLAMED: _blamed,
    CandidateKind.STAND_IN: _stand_in,
}
_BY_RULE = {
    CandidateKind.SPLIT: _split,
    CandidateKind.NAME: _name,
    CandidateKind.DESCRIPTION: _description,
}
"""Those that propose what the rule writes."""


def _by_rule(
    workspace: Workspace, candidate: Candidate, text: ToolkitText | None
) -> tuple[Toolkit, ToolkitText]:
    """A toolkit, with name and description by rule; its own name is free for it."""
    toolkit = get_toolkit(workspace, candidate.toolkits[0])
    if text is None:
        members = member_rowids(workspace, toolkit.id)
        text = propose_name(workspace, members, without=toolkit.id)
    return toolkit, text


def _documentation(api: Api) -> int:
    parameters = sum(len(one.description) + 1 for one in api.parameter_list)
    return len(api.description) + parameters + (100 if api.response_schema else 0)
