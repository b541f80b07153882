"""The hub of a workspace: the window that serves it, so that `toolplanner serve` finds it.

Its file lies in a folder of this person beside the settings, named after the workspace file
(device and inode, so that links lead to it, too): which process, at which port of this machine, and
a token made for this start. It is written for the first window and goes with it; one that was left
by a killed process is found out by the identity of that process, and removed.

A `toolplanner serve` that finds a hub hands the streams of its client to it (`faces/stdio.py`).
There is no other way between the two: runs, stops and decisions are those of the window that
serves. What is served without a hub is seen by its log in the workspace, and the calls of it that
wait by their tickets, which any window decides.

Source: design/gateway.md section 12.
"""

import contextlib
import json
import os
import secrets
import stat
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from toolplanner_core.jobs.process_identity import is_alive, this_process
from toolplanner_core.serving.private_files import (
    OTHERS_MAY,
    private_folder,
    private_place,
    write_private,
)

_FOLDER = "gateway-hubs"
_TOKEN_BYTES = 32
_LARGEST = 10_000
"""Bytes of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """A process that serves the agents of a workspace.

    Attributes:
        process: its identity.
        port: where it listens, on loopback.
        token: whoever knows it is this person.
    """

    process: str
    port: int
    token: str = field(repr=False)


def find_hub(workspace: Path) -> Hub | None:
    """The hub of a workspace file, if one lives; what is none is removed."""
    with contextlib.suppress(OSError):
        path = _path(workspace)
        if not path.exists():
            return None
        hub = _read(path)
        if hub is not None and is_alive(hub.process):
            return hub
        path.unlink(missing_ok=True)
    return None


def enter_hub(workspace: Path, *, port: int) -> Hub | None:
    """Be the hub of a workspace file from now on; None if another process is.

    Raises:
        BadInput: others may write where hubs are found.
    """
    hub = Hub(process=this_process(), port=port, token=secrets.token_urlsafe(_TOKEN_BYTES))
    private_folder(_FOLDER)
    if find_hub(workspace) is not None:
        return None
    try:
        write_private(_path(workspace), asdict(hub), is_new=True)
    except FileExistsError:
        return None
    return hub


def leave_hub(workspace: Path, hub: Hub) -> None:
    """Be found no more."""
    with contextlib.suppress(OSError):
        path = _path(workspace)
        if _read(path) == hub:
            path.unlink()


def _path(workspace: Path) -> Path:
    state = workspace.stat()
    return private_place(_FOLDER) / f"{state.st_dev:x}-{state.st_ino:x}.json"


def _read(path: Path) -> Hub | None:
    """What a file says; None for one that is not whole, or that others could have written."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(handle, "rb") as file:
        state = os.fstat(handle)
        is_regular = stat.S_ISREG(state.st_mode)
        if not is_regular or not _is_mine(state):
            return None
        try:
            said = json.loads(file.read(_LARGEST))
            return Hub(
                process=str(said["process"]), port=int(said["port"]), token=str(said["token"])
            )
        except (ValueError, TypeError, KeyError):
            return None


def _is_mine(state: os.stat_result) -> bool:
    """Windows keeps a profile's folder to its owner itself, and has neither owner nor mode here."""
    if sys.platform == "win32":
        return True
    return state.st_uid == os.getuid() and not state.st_mode & OTHERS_MAY
