"""What the card beside a point of the map tells of its API."""

import textwrap

from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui.context import AppContext

_LETTERS = 160
_WIDTH = 52


def hover_card_lines(context: AppContext, point: int) -> list[str]:
    """Title, toolkit and the begin of the description; nothing for an API that is gone."""
    workspace = context.workspace
    if workspace is None or point >= len(context.catalogue.rowids):
        return []
    rowid = int(context.catalogue.rowids[point])
    api = apis_by_rowid(workspace, [rowid]).get(rowid)
    if api is None:
        return []
    toolkit = context.catalogue.toolkit_of_point(point)
    where = f"{toolkit.name} · {counted(toolkit.size, 'API')}" if toolkit else "No toolkit"
    return [api.title, where, *textwrap.wrap(one_line(api.description, _LETTERS), _WIDTH)]
