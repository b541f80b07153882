"""What a form of export is."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """What is exported.

    Attributes:
        toolkits: only these; None = all living ones.
        who: name of the person who exports.
    """

    workspace: Workspace
    toolkits: Collection[ToolkitId] | None = None
    who: str = ""


def _nothing_left_out(_request: ExportRequest) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportForm:
    """A form in which toolkits are exported.

    Attributes:
        id: on the command line.
        title: for people, in a menu: "As JSON, for programs".
        description: for people: for whom it is.
        suffix: of its files, such as ".json".
        files: what its files are called in a dialog, such as "Toolkits".
        content: what is in it, for people and file names: "toolkits" or "decisions".
        write: the text of the file in parts; `NotFound` if one of the toolkits does not live.
        note: what to tell of an export that nobody sees in it: what it leaves out; "" = nothing.
        order: among the others, smallest first.
    """

    id: str
    title: str
    description: str
    suffix: str
    files: str
    write: Callable[[ExportRequest], Iterable[str]]
    note: Callable[[ExportRequest], str] = _nothing_left_out
    content: str = "toolkits"
    order: int = 50
