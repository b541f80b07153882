"""The question before very much of a proposal is accepted at once, with what it would change."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from toolplanner_core.curation.edits.consequences import consequences
from toolplanner_core.curation.grouping.accepting import preview_items
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace.proposals import ProposedItem
from toolplanner_gui.bridge.questions import confirm
from toolplanner_gui.context import AppContext

_LARGE = 300
"""From so many APIs or parts on it is asked."""


async def is_sure(
    context: AppContext, parent: QWidget, proposal: int, items: Sequence[ProposedItem]
) -> bool:
    """Whether these parts shall be accepted; few are not asked about, since undo is one key."""
    if max(len(items), sum(len(item.rowids) for item in items)) < _LARGE:
        return True
    workspace, positions = context.file, [item.position for item in items]
    done = await context.tasks.in_thread(lambda: preview_items(workspace, proposal, positions))
    lines = consequences(done, name_of=context.catalogue.name_of)
    parts = counted(len(items), "part")
    why = f"{' · '.join(lines)}. It is one edit, which can be undone."
    return await confirm(parent, f"Accept {parts} together?", why=why, yes=f"Accept {parts}")
