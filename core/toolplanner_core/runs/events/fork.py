"""Forks, replays, and what people decide: the events that lead a run off its taped way."""

from collections.abc import Mapping
from typing import Any

from toolplanner_core.domain.nodes import CALL, QUESTION
from toolplanner_core.domain.stop_points import BEFORE_CALL, BEFORE_QUESTION, Choice
from toolplanner_core.runs.events.event import Actor, Event, event_type
from toolplanner_core.runs.tree.formatting import joined_words, sentence_case, text_words
from toolplanner_core.runs.tree.tree import Moment, RunTree
from toolplanner_core.strategies.interface.strategy import stop_point

_UNSENT = {BEFORE_CALL.id: CALL.id, BEFORE_QUESTION.id: QUESTION.id}
"""What a person answers at these stops never leaves."""


@event_type("fork.origin", "Forked", Actor.PERSON)
class ForkOrigin(Event):
    """First own event of a fork: where it leaves its parent, and how it goes on.

    `options` has the same shape as in `run.started`; `changes` are those of `ForkChanges` that were
    given, for people. `reason` is "fork" or "go on" (after a crash).
    """

    parent_run: int
    fork_seq: int
    at: str
    reason: str
    changes: Mapping[str, Any]
    model: str
    model_label: str
    provider: str
    options: Mapping[str, Any]
    limits: Mapping[str, Any]
    app_version: str

    def describe(self) -> str:
        return f"From run {self.parent_run} after event {self.fork_seq}: {self.reason}"

    def fold(self, tree: RunTree, _: Moment, /) -> None:
        root = tree.root
        if root is None:
            return
        tree.reopen(root)
        tree.tell(
            root,
            {
                "model": self.model_label,
                "provider": self.provider,
                "parent_run": self.parent_run,
                "fork_seq": self.fork_seq,
                "fork_at": self.at,
                "fork_reason": self.reason,
            },
        )


@event_type("replay.diverged", "Replay diverged")
class ReplayDiverged(Event):
    """The run does not do what stands on the tape; `diff` shows both, line by line."""

    seq: int
    what: str
    diff: str

    def describe(self) -> str:
        return f"Other than event {self.seq}: {text_words(self.what)}"


@event_type("person.decided", "Person decided", Actor.PERSON, is_whole=True)
class PersonDecided(Event):
    """A person changed what the run does next.

    Attributes:
        stop: id of the stop point at which it was decided, such as "before_call".
        choice: a `domain.stop_points.Choice`.
        title: of the API, question or choice it is about.
        before: what would have happened (arguments, API, reply).
        after: what happens instead.
    """

    stop: str
    choice: str
    title: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]

    def describe(self) -> str:
        return joined_words(sentence_case(self.choice), text_words(self.title))

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        if self.choice == Choice.TAKE and at.cause and stop_point(self.stop).takes_any_api:
            why = tree.causes.explain(at.cause).text.removeprefix("because ")
            tree.causes.say(at.cause, f"you took it after {why}")
        tree.mark(at.path, "decided", self.choice)
        if self.stop == BEFORE_CALL.id and self.choice == Choice.EDIT:
            sides = (self.before, self.after)
            tree.mark(at.path, "edited", [side.get("arguments") or {} for side in sides])
        if self.stop in _UNSENT and self.choice in (Choice.ANSWER, Choice.FAIL):
            tree.leaf(at, _UNSENT[self.stop], self.title)  # it is never sent: nothing else names it
