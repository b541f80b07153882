"""Kinds and states of the nodes of a run's tree.

A kind is declared once, beside the strategy that opens such nodes (`StrategyPlugin.kinds`); tree,
inspector, timeline, map, comparison, search, totals, exports and breakpoints take it from there.
Here stand the three that the engine itself makes: the run, questions to a model, API calls.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from toolplanner_core.domain.stop_points import StopPoint


class NodeState(StrEnum):
    """How a node stands; each has an icon, a colour and a word."""

    WAITING = "waiting"
    RUNNING = "running"
    OK = "ok"
    FAILED = "failed"
    FELL_BACK = "fell_back"
    """It failed, and something else was tried in its place."""
    REPLANNED = "replanned"
    """It was given up for a revised one."""
    PRUNED = "pruned"
    """A search left it: it led nowhere, or something else was better."""
    ABANDONED = "abandoned"
    """It was announced and never reached."""
    KEPT = "kept"
    """Its result was taken over from an earlier one."""
    IN_DOUBT = "in_doubt"
    """A call that was sent, and nobody knows whether it arrived (crash)."""
    PAUSED = "paused"
    CANCELLED = "cancelled"


_SMALL = 0.01
"""Below it two digits say enough, and a column has room for them."""
_LARGE = 1000


class AnnouncedChild(NamedTuple):
    """A child that a node announces before it is opened, such as a step of a plan.

    Attributes:
        kind: id of its kind; with `number` it makes its path.
        reason: the state in words, "" where it says enough by itself.
    """

    kind: str
    number: int
    title: str
    state: NodeState
    reason: str
    data: Mapping[str, Any]


class ShownField(NamedTuple):
    """An entry of a node's `data` that people see.

    Attributes:
        key: its name in `data`.
        word: for people, such as "Score".
        is_column: it may be a column of the tree.
        is_code: a text of several lines, shown by itself in a fixed-width font.
        marked: with `is_code`, name of the entry that holds the number of a line to be marked.
        is_program: with `is_code`, its lines have numbers already.
        is_share: a number from 0 to 1 that people see from 0 to 100.
    """

    key: str
    word: str
    is_column: bool = False
    is_code: bool = False
    marked: str = ""
    is_program: bool = False
    is_share: bool = False

    def text_of(self, data: Mapping[str, Any]) -> str:
        """Its value in words, "" where there is none."""
        value = data.get(self.key)
        if isinstance(value, float):
            value = 100 * value if self.is_share else value
            if 0 < abs(value) < _SMALL:
                return f"{value:.2g}"
            return f"{value:.3g}" if abs(value) < _LARGE else f"{value:.4g}"
        if value is None or isinstance(value, str):
            return value or ""
        return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeKind:
    """A kind of node.

    Attributes:
        id: in paths and logs, such as "step"; never renamed.
        word: for people, such as "step".
        icon: name in the icon font (Material Design), shown while nothing went wrong; "" = the
            state's own.
        role: colour token of the theme for marks of this kind.
        is_unit: "step over" passes it with all below it; without this it stops at each node below.
        is_numbered: its title begins with word and number ("Step 2 · …").
        is_try: it is one of several tries for the same thing; its calls speak for it.
        on_map: its `data` names a toolkit or an API, and it is a stop of the trail on the map.
        is_route: the stops below it make a trail of their own (a plan).
        identity: names in `data` of which the first that is there says what it is about, so that
            two runs can be aligned; without any, position alone does.
        compared: names in `data` that a comparison of two runs looks at.
        shown: what else of `data` people see.
        counted: name of the total that counts nodes of this kind, from number `counted_from` on;
            "" = none.
        failed_at: stop point at which a person may look before such a node ends as failed.
        ahead: the children that a node with this `data` announces.
    """

    id: str
    word: str
    icon: str = ""
    role: str = "dim"
    is_unit: bool = True
    is_numbered: bool = False
    is_try: bool = False
    on_map: bool = False
    is_route: bool = False
    identity: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    shown: tuple[ShownField, ...] = ()
    counted: str = ""
    counted_from: int = 1
    failed_at: StopPoint | None = None
    ahead: Callable[[Mapping[str, Any]], Sequence[AnnouncedChild]] | None = None

    @property
    def capital_word(self) -> str:
        """The word at the beginning of a line: "Step", "API"."""
        return self.word[:1].upper() + self.word[1:]


RUN = NodeKind(id="run", word="run", compared=("strategy", "model", "provider", "seed"))
QUESTION = NodeKind(
    id="question",
    word="question",
    icon="message-question-outline",
    identity=("question",),
)
CALL = NodeKind(
    id="call", word="call", icon="swap-horizontal", identity=("api",), compared=("api",)
)
ENGINE_KINDS = (RUN, QUESTION, CALL)
"""Kinds that every run has, whatever its strategy."""
