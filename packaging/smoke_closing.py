"""How long a window takes to close, without the time in which other programs had the processors.

A packer beside it, or a second test, must not make a window look slow, nor may a slow window hide
behind them: what is taken off is only the time in which the window's main thread could have run and
got no processor, which Linux counts for each thread. What it waits for itself stays.
"""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

_AT_ALL_WITHIN_S = 60.0
_POLL_S = 0.005


@dataclass(frozen=True, slots=True)
class Closing:
    """How long it took.

    Args:
        clock_s: from being told to close to the end of the process.
        queued_s: how much of that it stood in the queue for a processor; 0 where nobody counts it.
    """

    clock_s: float
    queued_s: float

    @property
    def own_s(self) -> float:
        """Seconds that are the program's own."""
        return self.clock_s - self.queued_s

    def __str__(self) -> str:
        return f"{self.own_s:.2f} s ({self.clock_s:.2f} s by the clock)"


def close(window: subprocess.Popen[bytes]) -> Closing:
    """Tell a process to close and wait until it has ended.

    Raises:
        subprocess.TimeoutExpired: it does not end at all.
    """
    before_s, queued_before_s = time.monotonic(), _queued_s(window.pid)
    # Not SIGINT: whoever runs in the background ignores it, and so does what they start.
    window.terminate()
    if sys.platform == "linux":
        _wait_unreaped(window)
    else:
        window.wait(_AT_ALL_WITHIN_S)
    clock_s = time.monotonic() - before_s
    queued_s = _queued_s(window.pid) - queued_before_s
    window.wait()
    return Closing(clock_s, max(0.0, min(queued_s, clock_s)))


def _wait_unreaped(window: subprocess.Popen[bytes]) -> None:
    """Wait for its end and leave the dead process there, with its counts."""
    end_s = time.monotonic() + _AT_ALL_WITHIN_S
    wanted = os.WEXITED | os.WNOWAIT | os.WNOHANG
    while os.waitid(os.P_PID, window.pid, wanted) is None:
        if time.monotonic() > end_s:
            raise subprocess.TimeoutExpired(window.args, _AT_ALL_WITHIN_S)
        time.sleep(_POLL_S)


def _queued_s(pid: int) -> float:
    """Seconds that the main thread has waited for a processor so far; 0 where that is not known."""
    counts = Path(f"/proc/{pid}/schedstat")
    try:
        return int(counts.read_text("ascii").split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0
