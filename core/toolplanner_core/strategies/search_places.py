"""The places of a depth-first search: the query, and the branches that grew from a place."""

from dataclasses import dataclass, field

from toolplanner_core.domain.stop_points import Alternative
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.strategies.acting import Acted
from toolplanner_core.strategies.dialogue import Dialogue
from toolplanner_core.strategies.scope import OpenNode


@dataclass(slots=True, kw_only=True, eq=False)
class SearchPlace:
    """A place from which branches grow; the first is the query.

    Attributes:
        talk: what was said on the way to it.
        left: branches that may still be followed from here.
        cause: event because of which the search came back here.
    """

    talk: Dialogue
    left: int
    cause: int | None = None
    children: list["SearchBranch"] = field(default_factory=list["SearchBranch"])

    @property
    def alternative(self) -> Alternative:
        """What a person is offered for it."""
        return Alternative(id="query", title="the query")

    @property
    def parent(self) -> "SearchPlace":
        """The place above; the query has none above it, and stands for itself."""
        return self

    def upwards(self) -> "list[SearchPlace]":
        """This place and all above it."""
        return [self]


@dataclass(slots=True, kw_only=True, eq=False)
class SearchBranch(SearchPlace):
    """A thought with its action; `score` is the share of the comparisons that it won."""

    above: SearchPlace
    node: OpenNode
    acted: Acted
    score: float | None = None

    @property
    def alternative(self) -> Alternative:
        return Alternative(id=self.node.path, title=self.acted.said, score=self.score)

    @property
    def parent(self) -> SearchPlace:
        return self.above

    @property
    def turn(self) -> tuple[Message, ...]:
        """What was said in this branch itself."""
        return self.talk.messages[len(self.above.talk.messages) :]

    @property
    def gave_up(self) -> str:
        """Why it gave up, "" if it did not."""
        finished = self.acted.finished
        if self.acted.error is not None and finished:
            words = self.acted.error.replace("_", " ")
            return f"no usable reply from the model ({words}): {finished.text}"
        return f"it gave up: {finished.text}" if finished and finished.how != "answer" else ""

    def upwards(self) -> list[SearchPlace]:
        return [self, *self.above.upwards()]
