"""Kinds and states of the nodes of a run's tree."""

from enum import StrEnum


class NodeKind(StrEnum):
    """What a node of the run tree is."""

    RUN = "run"
    PLAN = "plan"
    STEP = "step"
    ATTEMPT = "attempt"
    QUESTION = "question"
    CALL = "call"


class NodeState(StrEnum):
    """How a node stands; each has an icon, a colour and a word."""

    WAITING = "waiting"
    RUNNING = "running"
    OK = "ok"
    FAILED = "failed"
    FELL_BACK = "fell_back"
    """An attempt that failed and after which another API of the toolkit was tried."""
    REPLANNED = "replanned"
    """A plan that was given up for a revised one."""
    ABANDONED = "abandoned"
    """A step that its plan never reached."""
    KEPT = "kept"
    """A step whose result was taken over from the plan before."""
    IN_DOUBT = "in_doubt"
    """A call that was sent, and nobody knows whether it arrived (crash)."""
    PAUSED = "paused"
    CANCELLED = "cancelled"
