"""Write a file for others, which appears when it is complete and never replaces a workspace."""

from collections.abc import Iterable
from pathlib import Path

from toolplanner_core.domain.workspace_file import SUFFIX
from toolplanner_core.errors import BadInput


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
