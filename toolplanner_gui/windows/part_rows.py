"""The parts of a proposal as rows: what each would do, and which are over after other edits."""

from toolplanner_core.curation.grouping.accepting import dead_items
from toolplanner_core.words.word_diff import as_it_becomes
from toolplanner_core.words.wording import count, counted, one_line, when
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.proposals import (
    Proposal,
    ProposedItem,
    load_items,
    open_proposals,
)
from toolplanner_gui.viewmodels.table_model import Row

_OVER = "over"
"""Said instead of the kind of a part that would change nothing any more."""
DEAD = (
    "{parts} cannot be done any more (“over”): edits since ended the toolkits or pinned the APIs."
)


def read_waiting(workspace: Workspace, proposal: int) -> tuple[list[ProposedItem], set[int]]:
    """The parts that wait, and the positions of those that can do nothing any more; not on the GUI
    thread."""
    waiting = [item for item in load_items(workspace, proposal) if not item.verdict]
    return waiting, dead_items(workspace, waiting)


def part_row(item: ProposedItem, *, is_dead: bool) -> Row:
    """The row of a part."""
    label = as_it_becomes(item.label)
    why = DEAD.format(parts="This") if is_dead else ""
    return Row(
        cells=(_OVER if is_dead else item.kind, one_line(label), count(len(item.rowids))),
        key=item.position,
        tooltip="\n".join(filter(None, (label, item.description, why))),
    )


def read_open(workspace: Workspace) -> list[tuple[Proposal, int]]:
    """The open proposals, the newest first, and how many parts of each can still be done; not on
    the GUI thread."""
    found: list[tuple[Proposal, int]] = []
    for proposal in open_proposals(workspace):
        waiting, dead = read_waiting(workspace, proposal.id)
        found.append((proposal, len(waiting) - len(dead)))
    return found


def proposal_title(proposal: Proposal, n_living: int) -> str:
    """What a proposal is called in the list of them."""
    waiting = f"{counted(n_living, 'part')} waiting" if n_living else "nothing left to do"
    return f"{one_line(proposal.title, 80)} · {waiting} · {when(proposal.made_us / 1e6)}"
