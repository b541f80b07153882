"""What a person changes of a proposal before accepting it: names, texts, which APIs; and how well
the toolkits would fit.

A changed part is stored, so that previews, accepting and the command line see it as it is now.
Blocks; not for the GUI thread.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from toolplanner_core.curation.edits.describe import proper_name
from toolplanner_core.curation.grouping.accepting import API_TEXT, TEXT
from toolplanner_core.curation.grouping.proposal_items import part_label
from toolplanner_core.curation.grouping.splitting import fit_of
from toolplanner_core.domain.curated import ToolkitFields
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.words.word_diff import word_diff
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import CuratedTables, all_memberships, all_toolkits
from toolplanner_core.workspace.proposals import ProposedItem, change_part, load_items
from toolplanner_core.workspace.toolkits import member_rowids

_MOST_SOURCES = 12
"""Toolkits that lose APIs whose fit is worked out, those that lose most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitChange:
    """A toolkit before and after a part of a proposal.

    Attributes:
        toolkit: None for one that the part makes.
        apis: before and after.
        fits: before and after, 0 to 1; None where there is nothing to compare.
    """

    toolkit: ToolkitId | None
    name: str
    apis: tuple[int, int]
    fits: tuple[float | None, float | None]


def can_be_named(item: ProposedItem) -> bool:
    """Whether the part holds a name that a person can change."""
    return bool(item.name) and item.kind != API_TEXT


def name_part(
    workspace: Workspace, proposal: int, position: int, name: str, description: str
) -> ProposedItem:
    """Give the toolkit of a part another name and description; the part as it is now.

    Raises:
        NotFound: there is no such part.
        BadInput: the name is empty or too long, or the part was answered already.
    """
    item = _waiting_part(workspace, proposal, position)
    told = replace(
        item, name=proper_name(name, of="toolkit"), description=description.strip(), is_told=True
    )
    return _store(workspace, proposal, told)


def can_be_described(item: ProposedItem) -> bool:
    """Whether the part holds a description that a person can change."""
    return can_be_named(item) or item.kind == API_TEXT


def describe_part(
    workspace: Workspace, proposal: int, position: int, description: str
) -> ProposedItem:
    """Give the toolkit, or the API, of a part another description; the part as it is now.

    Raises:
        NotFound: there is no such part.
        BadInput: the text of an API is empty, or the part was answered already.
    """
    item, text = _waiting_part(workspace, proposal, position), description.strip()
    if item.kind == API_TEXT and not text:
        raise BadInput("The text of an API is empty", todo="Write one, or reject the part")
    return _store(workspace, proposal, replace(item, description=text, is_told=True))


def choose_members(
    workspace: Workspace, proposal: int, position: int, rowids: Collection[int]
) -> ProposedItem:
    """Let a part move these of its APIs only; the others can be taken back; the part as it is now.

    Raises:
        NotFound: there is no such part.
        BadInput: none is left, or the part was answered already.
    """
    item = _waiting_part(workspace, proposal, position)
    everything, chosen = sorted((*item.rowids, *item.left_out)), set(rowids)
    kept = tuple(rowid for rowid in everything if rowid in chosen)
    if not kept:
        raise BadInput("A part without an API would do nothing", todo="Reject it instead")
    left = tuple(rowid for rowid in everything if rowid not in chosen)
    return _store(workspace, proposal, replace(item, rowids=kept, left_out=left))


def fit_changes(workspace: Workspace, item: ProposedItem) -> list[FitChange]:
    """The toolkits that a part would change, the one that gains first; none for texts."""
    if item.kind in (TEXT, API_TEXT):
        return []
    with workspace.snapshot() as db:
        where, toolkits = all_memberships(db), all_toolkits(db)
    moved = set(item.rowids)
    lost = Counter(where[rowid].toolkit for rowid in item.rowids if rowid in where)
    found: list[FitChange] = []
    if item.target is not None and item.target in toolkits:
        own = member_rowids(workspace, item.target)
        after = [*own, *(rowid for rowid in item.rowids if rowid not in set(own))]
        found.append(_change(workspace, item.target, toolkits[item.target].name, own, after))
    elif item.name:
        found.append(_change(workspace, None, item.name, [], item.rowids))
    for toolkit, _ in lost.most_common(_MOST_SOURCES):
        if toolkit != item.target:
            own = member_rowids(workspace, toolkit)
            after = [rowid for rowid in own if rowid not in moved]
            found.append(_change(workspace, toolkit, toolkits[toolkit].name, own, after))
    return found


def api_label_of(name: str, own: str, text: str) -> str:
    """What a part says that changes the text of an API, with the words that differ.

    Args:
        own: the text that the API has now.
    """
    return f"Describe “{name}”: {word_diff(own, text)}"


def text_label_of(own: ToolkitFields, name: str, text: str) -> str:
    """What a part says that changes name or description of a toolkit, with the words that differ.

    Args:
        own: what the toolkit is called now.
    """
    renamed = f"Rename “{own.name}” to “{name}”" if name != own.name else f"Describe “{name}”"
    return f"{renamed}: {word_diff(own.description, text)}"


def _change(
    workspace: Workspace,
    toolkit: ToolkitId | None,
    name: str,
    before: Sequence[int],
    after: Sequence[int],
) -> FitChange:
    return FitChange(
        toolkit=toolkit,
        name=name,
        apis=(len(before), len(after)),
        fits=(_fit(workspace, before), _fit(workspace, after)),
    )


def _fit(workspace: Workspace, rowids: Sequence[int]) -> float | None:
    return fit_of(workspace, rowids) if len(rowids) > 1 else None


def _waiting_part(workspace: Workspace, proposal: int, position: int) -> ProposedItem:
    for item in load_items(workspace, proposal):
        if item.position == position:
            if item.verdict:
                raise BadInput(f"“{item.label}” was {item.verdict} already")
            return item
    raise NotFound(f"Proposal {proposal} has no part {position}")


def _store(workspace: Workspace, proposal: int, item: ProposedItem) -> ProposedItem:
    with workspace.snapshot() as db:
        where, toolkits = all_memberships(db), all_toolkits(db)
        texts = CuratedTables(db).texts(item.rowids) if item.kind == API_TEXT else {}
    if item.kind == TEXT:
        own = toolkits.get(ToolkitId(item.target or 0))
        label = item.label if own is None else text_label_of(own, item.name, item.description)
        told = replace(item, label=label)
    elif item.kind == API_TEXT:
        (rowid,) = item.rowids
        name = item.label.removeprefix("Describe “").partition("”: ")[0]
        label = api_label_of(name, texts[rowid].text, item.description)
        told = replace(item, label=label)
    else:
        came = Counter(where[rowid].toolkit for rowid in item.rowids if rowid in where)
        sources = tuple(toolkit for toolkit, _ in came.most_common())
        is_whole = item.kind == "merge" and not item.left_out
        kind = "move" if item.kind == "merge" and not is_whole else item.kind
        target = toolkits.get(ToolkitId(item.target or 0))
        name = item.name if target is None else target.name
        names = [toolkits[toolkit].name for toolkit in sources]
        label = part_label(kind, len(item.rowids), names, name)
        told = replace(item, kind=kind, label=label, sources=sources)
    workspace.writer.run(lambda db: change_part(db, proposal, told), durable=True)
    return told
