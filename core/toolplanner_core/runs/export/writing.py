"""Write runs to a file in one of the formats; the file appears when it is complete.

Callers: `runs export`, the window.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.export.otlp import export_otlp
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.workspace import SUFFIX

FORMATS = ("jsonl", "html", "otlp")


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
    if format_id == "html":
        return [export_html(workspace, runs[0])]
    data = export_otlp(workspace, list(runs), content=content)
    return [json.dumps(data, ensure_ascii=False), "\n"]


def write_file(parts: Iterable[str], place: Path) -> int:
    """Write all parts; returns the number of bytes. Blocks.

    Raises:
        BadInput: the file cannot be written, or would replace a workspace.
    """
    if place.suffix == SUFFIX:
        raise BadInput(
            "An export would replace a workspace", where=str(place), todo="Give it another name"
        )
    size = 0
    unfinished = place.with_name(f"{place.name}.part")
    try:
        with unfinished.open("wb") as file:
            for part in parts:
                size += file.write(part.encode("utf-8", "replace"))
        unfinished.replace(place)
    except OSError as error:
        raise BadInput("The file cannot be written", where=str(place), why=str(error)) from error
    finally:
        unfinished.unlink(missing_ok=True)
    return size
