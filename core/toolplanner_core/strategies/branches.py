"""Branches of a search in a tree of thoughts with their actions, and the places where a person may
steer it: for the strategies that search so, and for traces of other programs that did."""

from toolplanner_core.domain.nodes import NodeKind, Shown
from toolplanner_core.domain.stop_points import Choice, StopPoint

BRANCH = NodeKind(
    id="branch",
    word="branch",
    icon="source-fork",
    is_unit=False,
    on_map=True,
    identity=("api",),
    compared=("api",),
    shown=(
        Shown("score", "Score", is_column=True),
        Shown("rank", "Rank", is_column=True),
        Shown("thought", "Thought"),
        Shown("observation", "Observation"),
    ),
)
FOLLOW = StopPoint(
    id="before_branch",
    kind="branch",
    word="Before a branch:",
    event="a branch is about to be followed",
    allowed=frozenset({Choice.TAKE, Choice.GIVE_UP}),
    take="Follow it",
    take_hint="Choose the branch that is followed first.",
    chosen_word="Branch followed",
)
BACK = StopPoint(
    id="before_backtrack",
    kind="backtrack",
    word="Before going back:",
    event="the search is about to go back",
    allowed=frozenset({Choice.TAKE, Choice.SKIP, Choice.GIVE_UP}),
    take="Go back there",
    take_hint="Choose the place from which another branch grows.",
    skip="End the search",
    skip_hint="The run ends without an answer.",
    chosen_word="Gone back to",
    counted="backtracks",
)
ACCEPT = StopPoint(
    id="before_answer",
    kind="answer",
    word="Before the answer:",
    event="an answer is about to be accepted",
    allowed=frozenset({Choice.SKIP, Choice.GIVE_UP}),
    skip="Search on",
    skip_hint="This answer is dropped, and the search goes on.",
    chosen_word="Answer accepted",
)
