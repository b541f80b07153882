"""What people decided, to be applied to another workspace."""

from collections.abc import Iterable

from toolplanner_core.curation.sharing.decisions.collecting import collect
from toolplanner_core.curation.sharing.decisions.file import decisions_text
from toolplanner_core.curation.sharing.decisions.not_shared import not_shared_words
from toolplanner_core.curation.sharing.exports.form import ExportForm, ExportRequest
from toolplanner_core.errors import BadInput


def write(request: ExportRequest) -> Iterable[str]:
    """The decisions file.

    Raises:
        BadInput: only some toolkits are asked for.
    """
    if request.toolkits is not None:
        raise BadInput("Decisions are exported as a whole", why="Later ones build on earlier ones")
    return decisions_text(collect(request.workspace, who=request.who))


PLUGIN = ExportForm(
    id="decisions",
    title="Decisions, to apply elsewhere",
    description="can be applied to another workspace",
    suffix=".jsonl",
    files="Decisions",
    content="decisions",
    write=write,
    note=lambda request: not_shared_words(request.workspace),
    order=90,
)
