"""How states look: an icon, a colour token and a word for each, so colour never stands alone."""

from typing import NamedTuple

from toolplanner_core.domain.nodes import ENGINE_KINDS, NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.tree.failures import UNSENT, is_unsent
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.interface.strategy import node_kind, strategies

_FINE = (NodeState.OK, NodeState.RUNNING)
"""States that say less than the kind."""


class Look(NamedTuple):
    """Icon name (Material Design), colour token, the word shown with them, a sign in plain text."""

    icon: str
    token: str
    word: str
    sign: str = ""


NODE_LOOKS: dict[NodeState, Look] = {
    NodeState.WAITING: Look("circle-outline", "waiting", "waiting", "○"),
    NodeState.RUNNING: Look("progress-clock", "running", "running", "▶"),
    NodeState.OK: Look("check-circle", "ok", "ok", "✓"),
    NodeState.FAILED: Look("close-circle", "failed", "failed", "✗"),
    NodeState.FELL_BACK: Look("arrow-u-left-bottom", "fell_back", "failed", "↷"),
    NodeState.REPLANNED: Look("source-branch", "replanned", "replanned", "⟳"),
    NodeState.PRUNED: Look("content-cut", "waiting", "pruned", "✂"),
    NodeState.ABANDONED: Look("minus-circle-outline", "waiting", "abandoned", "⊘"),
    NodeState.KEPT: Look("check-circle-outline", "ok", "kept", "⊙"),
    NodeState.IN_DOUBT: Look("help-circle", "fell_back", "in doubt", "?"),
    NodeState.PAUSED: Look("pause-circle", "paused", "held", "‖"),
    NodeState.CANCELLED: Look("cancel", "waiting", "cancelled", "■"),
}

RUN_LOOKS: dict[Status, Look] = {
    Status.RUNNING: Look("progress-clock", "running", "running"),
    Status.SOLVED: Look("check-circle", "ok", "solved"),
    Status.ANSWERED: Look("check-circle-outline", "answered", "answered, not checked", "◇"),
    Status.CONTRADICTED: Look("scale-unbalanced", "replanned", "contradicted", "≠"),
    Status.UNSOLVED: Look("close-circle", "failed", "not solved"),
    Status.SERVED: Look("check-circle", "ok", "served"),
    Status.NOTHING_SERVED: Look("robot-dead-outline", "failed", "served, every call failed"),
    Status.OVER_BUDGET: Look("cash-remove", "fell_back", "over budget"),
    Status.NOT_MEASURED: Look("cloud-off-outline", "waiting", "not measured"),
    Status.CANCELLED: Look("cancel", "waiting", "stopped"),
    Status.INTERRUPTED: Look("power-plug-off", "fell_back", "interrupted"),
    Status.ERROR: Look("alert-circle", "failed", "error"),
}


def status_look(status: Status, strategy: str) -> Look:
    """How a run stands or ended. One of a strategy that answers no query, such as a health check,
    solves none: it is done.

    Args:
        strategy: its id, also of one that is not here.
    """
    plugin, look = strategies.find(strategy), RUN_LOOKS[status]
    is_done = status is Status.SOLVED and plugin is not None and not plugin.answers
    return look._replace(word="done") if is_done else look


FAULT_MARK = "⚡"
"""Of what an injected fault struck: call, run, list."""
FAULT_WORDS = f"{FAULT_MARK} fault injected"

_ENDED_OTHERWISE = (
    Status.ANSWERED,
    Status.CONTRADICTED,
    Status.NOTHING_SERVED,
    Status.OVER_BUDGET,
    Status.NOT_MEASURED,
    Status.CANCELLED,
    Status.INTERRUPTED,
    Status.ERROR,
)


def state_word(node: Node) -> str:
    """The state of a node in a word; a try that did what another one could not is a fallback, and
    a run that has ended is what lists call it. What never left did not fail."""
    if node.is_run and (status := node.data.get("status")):
        return status_look(Status(status), str(node.data.get("strategy", ""))).word
    if node.state in (NodeState.FAILED, NodeState.FELL_BACK) and (
        node.data.get(UNSENT) or is_unsent(node)
    ):
        return "not sent"
    is_fallback = node.cause is not None and node_kind(node.kind).is_try
    return "fallback" if is_fallback and node.state is NodeState.OK else NODE_LOOKS[node.state].word


def ended_look(node: Node) -> Look | None:
    """The look of a run that its node's state says too little of: answered and not checked,
    contradicted, or ended by something else than its strategy; None for all others."""
    status = node.data.get("status") if node.is_run else None
    if status not in _ENDED_OTHERWISE:
        return None
    look = RUN_LOOKS[Status(status)]
    return look if look.sign else look._replace(sign=NODE_LOOKS[node.state].sign)


def node_look(kind_id: str, state: NodeState) -> Look:
    """The look of a node: its kind's icon where the kind says more than the state, else the
    state's."""
    look = NODE_LOOKS[state]
    kind = node_kind(kind_id)
    if kind.is_try and state is NodeState.FAILED:
        return look._replace(icon="close")
    if kind.icon and (state in _FINE or (state is NodeState.FAILED and kind in ENGINE_KINDS)):
        is_done_try = kind.is_try and state is not NodeState.OK
        return look if is_done_try else look._replace(icon=kind.icon)
    return look
