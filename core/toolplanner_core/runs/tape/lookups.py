"""Answers of the catalogue: written to the log, and in a replay or fork read from the tape instead.

So a run sees the catalogue as it was, whatever has been edited since.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.events.decision import LookedUp
from toolplanner_core.runs.log import RunLog

T = TypeVar("T")
Rows = list[Mapping[str, Any]]


class TapedLookups:
    """Look-ups of one run.

    Args:
        place: path of the node that is open where it is asked.
    """

    def __init__(self, log: RunLog, place: Callable[[], NodePath]) -> None:
        self._log = log
        self._place = place

    async def answer(
        self,
        what: str,
        request: Mapping[str, Any],
        ask: Callable[[], Awaitable[list[T]]],
        to_row: Callable[[T], Mapping[str, Any]],
        from_row: Callable[[Mapping[str, Any]], T],
    ) -> list[T]:
        """What the tape holds for a look-up, else what the catalogue answers, written down."""
        rows = self.recall(what, request)
        if rows is not None:
            return [from_row(row) for row in rows]
        found = await ask()
        given = [to_row(item) for item in found]
        written = self.record(what, request, given)
        return found if written == given else [from_row(row) for row in written]

    def record(self, what: str, request: Mapping[str, Any], found: Rows) -> Rows:
        """Write down what the catalogue answered.

        Returns:
            The answer as it was written: what looks like a secret is blacked out. A run must see
            that, too, else its replay sees other texts than it did.
        """
        path = self._place()
        written = self._log.append(LookedUp(what=what, request=request, found=found), path=path)
        assert isinstance(written.event, LookedUp)
        return [dict(row) for row in written.event.found]

    def recall(self, what: str, request: Mapping[str, Any]) -> Rows | None:
        """What the tape holds for a look-up, None when the catalogue is to be asked."""
        taped = self._log.tape.peek(self._place())
        if taped is None and not self._log.tape.end.is_strict:
            return None
        # The answer is taken from there; another request, or none, is a difference.
        found = taped.event.found if taped and isinstance(taped.event, LookedUp) else []
        self.record(what, request, found)
        return found
