"""One way of thinking and acting in turns, without going back: what ReAct is, and each trial of
Reflexion.

Source: Yao et al., arXiv 2210.03629.
"""

from collections.abc import Callable

from toolplanner_core.domain.nodes import NodeKind, NodeState, Shown
from toolplanner_core.domain.plan import Answer
from toolplanner_core.strategies.acting import Acting
from toolplanner_core.strategies.dialogue import Dialogue
from toolplanner_core.strategies.scope import RunScope
from toolplanner_core.words.wording import counted

THOUGHT = NodeKind(
    id="thought",
    word="thought",
    icon="thought-bubble-outline",
    is_numbered=True,
    on_map=True,
    identity=("api",),
    compared=("api",),
    shown=(Shown("thought", "Thought"), Shown("observation", "Observation")),
)


async def think(
    run: RunScope,
    acting: Acting,
    talk: Dialogue,
    *,
    max_steps: int,
    enough: Callable[[], str] = str,
) -> Answer:
    """Think and act until the model finishes; each turn is a node.

    Args:
        enough: why no other turn may be had, "" if one may.

    Raises:
        ModelGaveUp: there is no turn.
    """
    cause: int | None = None
    for number in range(1, max_steps + 1):
        if why := enough():
            return Answer(text="", solved=False, reason=why)
        async with run.node(THOUGHT, number, "Thinking", cause=cause) as node:
            acted = await acting.on(await talk.reply(), talk, node)
            finished = acted.finished
            if finished is not None and finished.how == "answer":
                node.end(NodeState.OK, acted.told)
                return finished.answer
            if finished is not None:
                node.end(NodeState.FAILED, finished.text)
                return Answer(text="", solved=False, reason=f"It gave up: {finished.text}")
            state = NodeState.OK if acted.error is None else NodeState.FAILED
            node.end(state, acted.told, error=acted.error)
            cause = None if acted.error is None else acted.seq
    steps = counted(max_steps, "step")
    return Answer(text="", solved=False, reason=f"No answer within {steps}")
