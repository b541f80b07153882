"""Which process wrote something, and whether it still runs.

What belongs to a process (a run, a trial, a gateway) is stored with an identity that no later
process can have: a process id alone is used again after a while; with the time at which the process
started (and the machine's boot) it is not.
"""

import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path


@cache
def this_process() -> str:
    """Identity of the calling process, such as "linux:4711:8223391:5f0c..."."""
    return _identity(os.getpid()) or f"unknown:{os.getpid()}"


def is_alive(identity: str) -> bool:
    """Whether the process with this identity still runs on this machine.

    What cannot be told (another system's identity, no rights to ask) counts as not alive: the file
    was copied here, or its writer is gone.
    """
    parts = identity.split(":")
    if len(parts) < 2 or not parts[1].isdigit():
        return False
    return identity == _identity(int(parts[1]))


def _identity(pid: int) -> str | None:
    """What `this_process` would say in process `pid`, None if there is no such process."""
    if sys.platform == "win32":
        started = _started_windows(pid)
    elif sys.platform == "linux":
        started = _started_linux(pid)
    else:
        started = _started_ps(pid)
    return None if started is None else f"{sys.platform}:{pid}:{started}"


def _started_linux(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
    # The name in brackets may hold spaces; the state is field 3, the start time field 22.
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in ("Z", "X") else f"{fields[19]}:{boot}"


def _started_ps(pid: int) -> str | None:
    found = subprocess.run(
        ["/bin/ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    started = "-".join(found.stdout.replace(":", ".").split())
    return f"{started}:{platform.node()}" if started else None


def _started_windows(pid: int) -> str | None:
    import ctypes

    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - unknown to type checkers elsewhere
    query_limited_information, still_active = 0x1000, 259
    handle = kernel.OpenProcess(query_limited_information, False, pid)
    if not handle:
        return None
    try:
        code = ctypes.c_ulong()
        kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        times = [ctypes.c_ulonglong() for _ in range(4)]
        is_known = kernel.GetProcessTimes(handle, *(ctypes.byref(each) for each in times))
        if not is_known or code.value != still_active:
            return None
        return f"{times[0].value}:{platform.node()}"
    finally:
        kernel.CloseHandle(handle)
