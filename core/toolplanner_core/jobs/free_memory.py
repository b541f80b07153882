"""How much memory a work may take before the machine ends it."""

import os
import sys
from pathlib import Path

_LINUX = Path("/proc/meminfo")


def free_memory_bytes() -> int | None:
    """What programs can still take, swap counted; where only that is known, all that the machine
    has. None if nothing is known."""
    if sys.platform == "win32":
        return _free_on_windows()
    if _LINUX.exists():
        lines = dict(line.split(":", 1) for line in _LINUX.read_text("ascii").splitlines())
        free = [lines.get(name, "0 kB").split()[0] for name in ("MemAvailable", "SwapFree")]
        return 1024 * sum(map(int, free))
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None


if sys.platform == "win32":
    import ctypes

    class _MemoryStatus(ctypes.Structure):
        """MEMORYSTATUSEX; Source: Microsoft, sysinfoapi.h."""

        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *(
                (name, ctypes.c_ulonglong)
                for name in (
                    "all_physical",
                    "free_physical",
                    "all_committed",
                    "free_committed",
                    "all_virtual",
                    "free_virtual",
                    "free_extended",
                )
            ),
        )

    def _free_on_windows() -> int | None:
        status = _MemoryStatus()
        status.length = ctypes.sizeof(status)
        is_known = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status.free_committed) if is_known else None
