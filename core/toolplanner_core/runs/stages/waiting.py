"""How long to wait before a request is tried again.

Callers: the stages that try (`call_tries.py`, `question_tries.py`).
"""

from random import Random

FIRST_WAIT_S = 0.5
MAX_WAIT_S = 30.0
"""A longer Retry-After is cut to this: the budget decides how long a run lasts."""


def wait_before(retry: int, random: Random, asked_s: float | None = None) -> float:
    """Seconds before try `retry` (1, 2, ...): doubled each time, with jitter of one half.

    Args:
        asked_s: what the endpoint asked for in Retry-After; honoured up to `MAX_WAIT_S`.
    """
    if asked_s is not None:
        return min(MAX_WAIT_S, max(0.0, asked_s))
    return min(MAX_WAIT_S, FIRST_WAIT_S * 2 ** (retry - 1) * (0.5 + random.random()))
