"""Where a person is in the list of questions: what comes up after an answer, and what was passed.

The list is ordered by worth and each answer orders it anew, so that no row number is a place: what
was passed over is remembered instead.
"""

from collections.abc import Sequence

from toolplanner_core.curation.questions.kinds.candidate import Candidate
from toolplanner_core.curation.questions.queue.listing import following_one


class QueueCursor:
    """What was passed over: left without an answer, or above the question a person went to."""

    def __init__(self) -> None:
        self._left: set[str] = set()
        self._above: set[str] = set()

    @property
    def passed(self) -> set[str]:
        """Keys of the questions that do not come up before the end of the list."""
        return self._left | self._above

    def forget(self) -> None:
        """Begin at the top."""
        self._left, self._above = set(), set()

    def go(self, questions: Sequence[Candidate], to: Candidate, left: Candidate | None) -> None:
        """A person goes to a question of the list, leaving one that waits on."""
        if left is not None:
            self._left.add(left.key)
        self._left.discard(to.key)
        keys = [one.key for one in questions]
        self._above = set(keys[: keys.index(to.key)])

    def came_back(self, to: Candidate) -> None:
        """An answer was taken back and its question is looked at again: nothing was passed over."""
        self._left.discard(to.key)
        self._above.discard(to.key)

    def relisted(
        self, old: Sequence[Candidate], new: Sequence[Candidate], current: Candidate | None
    ) -> None:
        """The list was looked through again: what is new above the place waits for the end."""
        keys = [one.key for one in new]
        if not self.passed or current is None or current.key not in keys:
            return
        known = {one.key for one in old}
        self._above |= set(keys[: keys.index(current.key)]) - known

    def following(self, questions: Sequence[Candidate], after: Candidate) -> Candidate | None:
        """The question that comes up after another; at the end of the list the first again."""
        passed = self.passed
        left = [one for one in questions if one.key not in passed and one.key != after.key]
        return following_one(left or questions, after)

    def answered(self, questions: Sequence[Candidate], answered: Candidate) -> Candidate | None:
        """The question that comes up after an answer; at the end of the list a new round begins."""
        following = self.following(questions, answered)
        if following is not None and following.key in self.passed:
            self.forget()
        return following
