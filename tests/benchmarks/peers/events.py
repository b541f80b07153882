"""How events are asked of a log by somebody else: how many are there already, and when all are.

It runs in the environments of others: the standard library only.
"""

import json
import resource
import statistics
import time
from collections.abc import Callable

CALLS, EVENTS, OPENED = 10, 5_000, 50_000
LONGEST_S = 1_800.0


def seconds_until(count: Callable[[], int], wanted: int, began: float) -> float:
    """From a moment until so many are seen by somebody who looks again and again."""
    while count() < wanted:
        time.sleep(0.003)
        assert time.perf_counter() - began < LONGEST_S, f"{count()} of {wanted}"
    return time.perf_counter() - began


def say(calls_s: list[float], events_s: float, opened_s: float) -> None:
    """Print the figures, as the last line, with the most memory of the program or its server."""
    used = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF,
                                                         resource.RUSAGE_CHILDREN)]  # fmt: skip
    print(json.dumps({
        "an event seen, ms": statistics.median(calls_s) * 1000, "5,000 events seen, s": events_s,
        "50,000 events read, s": opened_s, "memory, MB": max(used) / 1024,
    }))  # fmt: skip
