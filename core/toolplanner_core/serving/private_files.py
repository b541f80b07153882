"""Files of the gateway that nobody but this person can read or write, in folders beside the
settings: calls that wait (`tickets.py`), and who serves a workspace (`hub.py`)."""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.settings import settings_path

OTHERS_MAY = stat.S_IRWXG | stat.S_IRWXO
"""What the mode of a file says of everybody else."""


def private_place(name: str) -> Path:
    """Where the folder of this name is, or would be."""
    return settings_path().with_name(name)


def private_folder(name: str) -> Path:
    """The folder of this name, made where there is none.

    Raises:
        BadInput: others may look into it or write there: nothing in it can be believed.
    """
    folder = private_place(name)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or (os.name == "posix" and state.st_mode & OTHERS_MAY):
        raise BadInput(f"Others may write to {folder}", todo="Delete it: another one is made")
    return folder


def write_private(path: Path, value: Mapping[str, Any], *, is_new: bool = False) -> None:
    """Write JSON at once and whole, for this person only.

    Raises:
        FileExistsError: it shall be new, and is there; nothing has changed then.
    """
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    beside.unlink(missing_ok=True)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False)
    if not is_new:
        beside.replace(path)
        return
    try:
        os.link(beside, path)
    finally:
        beside.unlink()
