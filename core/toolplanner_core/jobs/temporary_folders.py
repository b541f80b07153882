"""Temporary folders that outlive nobody: also those of a program that was killed go, with the next.

A killed program tidies nothing up. Its folders carry its number, and whoever makes one next removes
those whose program has ended.
"""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path


def temporary_folder(prefix: str) -> tempfile.TemporaryDirectory[str]:
    """A new, empty folder that is removed with its context; also what dead programs left goes.

    Args:
        prefix: of its name, such as "toolplanner-mcp-".
    """
    place = Path(tempfile.gettempdir())
    remove_leftovers(place, prefix)
    return tempfile.TemporaryDirectory(
        prefix=f"{prefix}{os.getpid()}-", dir=place, ignore_cleanup_errors=True
    )


def remove_leftovers(place: Path, prefix: str) -> None:
    """Remove the folders `PREFIX<process>-...` whose process has ended."""
    for folder in place.glob(f"{prefix}*"):
        pid = re.match(r"(\d+)-", folder.name.removeprefix(prefix))
        try:
            is_mine = sys.platform == "win32" or folder.lstat().st_uid == os.getuid()
        except OSError:
            continue
        if pid and is_mine and folder.is_dir() and not is_process(int(pid[1])):
            shutil.rmtree(folder, ignore_errors=True)  # refuses links


def is_process(pid: int) -> bool:
    """Whether a process with this number exists; "yes" when it cannot be told."""
    if sys.platform == "win32":
        # os.kill(pid, 0) would send Ctrl+C there.
        import ctypes

        query_limited_information, still_active = 0x1000, 259
        handle = ctypes.windll.kernel32.OpenProcess(query_limited_information, False, pid)
        if not handle:
            return False
        code = ctypes.c_ulong()
        known = ctypes.windll.kernel32.GetExitCodeProcess(handle, ctypes.byref(code))
        ctypes.windll.kernel32.CloseHandle(handle)
        return not known or code.value == still_active
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
