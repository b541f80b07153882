"""The forms in which toolkits are exported, by id."""

import json
from collections.abc import Collection, Iterable

from toolplanner_core.curation.sharing.decisions.collecting import collect
from toolplanner_core.curation.sharing.decisions.file import decisions_text
from toolplanner_core.curation.sharing.decisions.not_shared import not_shared_words
from toolplanner_core.curation.sharing.exports.contents import read_contents
from toolplanner_core.curation.sharing.exports.csv_table import csv_parts
from toolplanner_core.curation.sharing.exports.json_form import json_parts
from toolplanner_core.curation.sharing.exports.markdown import markdown_parts
from toolplanner_core.curation.sharing.exports.openai_tools import (
    function_names,
    openai_parts,
    tools_of,
)
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.changed_documentation import waiting_rowids
from toolplanner_core.workspace.curated_tables import CuratedTables

_FORMS = {"json": json_parts, "openai": openai_parts, "csv": csv_parts, "markdown": markdown_parts}
FORMATS = (*_FORMS, "decisions")


def export_parts(
    workspace: Workspace,
    format_id: str,
    *,
    toolkits: Collection[ToolkitId] | None = None,
    who: str = "",
) -> Iterable[str]:
    """The text of the file in parts.

    Args:
        format_id: one of `FORMATS`. With one toolkit, "openai" is the bare list of its tools, as
            requests take it.
        toolkits: only these; None = all living ones.
        who: name of the person who exports, for "decisions".

    Raises:
        NotFound: one of the toolkits does not live.
        BadInput: no such form, or decisions of some toolkits only.
    """
    if format_id == "decisions":
        if toolkits is not None:
            raise BadInput(
                "Decisions are exported as a whole", why="Later ones build on earlier ones"
            )
        return decisions_text(collect(workspace, who=who))
    contents = read_contents(workspace, toolkits)
    if format_id == "openai" and toolkits is not None and len(contents.toolkits) == 1:
        toolkit = contents.toolkits[0]
        tools = tools_of(toolkit, function_names([member.api for member in toolkit.usable]))
        return [json.dumps(tools, ensure_ascii=False, indent=1), "\n"]
    if format_id not in _FORMS:
        raise BadInput(f"There is no form “{format_id}”", todo=f"Known: {', '.join(FORMATS)}")
    return _FORMS[format_id](contents)


def export_note(
    workspace: Workspace, format_id: str, *, toolkits: Collection[ToolkitId] | None = None
) -> str:
    """What to tell of an export that nobody sees in it: what it leaves out; "" = nothing. Blocks.

    Args:
        format_id, toolkits: as in `export_parts`.
    """
    if format_id == "decisions":
        return not_shared_words(workspace)
    if format_id != "openai":
        return ""
    with workspace.snapshot() as db:
        waiting = CuratedTables(db).memberships(waiting_rowids(db))
    n = sum(toolkits is None or one.toolkit in toolkits for one in waiting.values())
    whose = counted(n, "API whose", "APIs whose")
    return f"Not in it: {whose} changed documentation nobody has accepted" if n else ""
