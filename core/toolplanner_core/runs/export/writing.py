"""Runs as the text of a file in one of the formats."""

import json
from collections.abc import Iterable, Sequence

from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.export.otlp import export_otlp
from toolplanner_core.runs.export.recorded import export_recorded
from toolplanner_core.workspace import Workspace

FORMATS = ("jsonl", "html", "otlp", "recorded")


def export_parts(
    workspace: Workspace, runs: Sequence[RunId], format_id: str, *, content: bool = False
) -> Iterable[str]:
    """The text of the file in parts.

    Args:
        content: otlp: include prompts, replies, arguments and results.

    Raises:
        BadInput: the format cannot hold that many runs.
        NotFound: no such run.
    """
    if format_id == "html" and len(runs) != 1:
        raise BadInput("An HTML file shows one run", todo="Export each run by itself")
    if format_id == "jsonl":
        return export_jsonl(workspace, list(runs))
    if format_id == "recorded":
        return export_recorded(workspace, runs)
    if format_id == "html":
        return [export_html(workspace, runs[0])]
    data = export_otlp(workspace, list(runs), content=content)
    return [json.dumps(data, ensure_ascii=False), "\n"]
