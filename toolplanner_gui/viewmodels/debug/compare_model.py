"""Two runs as one aligned tree: an item model over `runs.diff.RunDiff`, and its totals as rows.

Used by the Compare panel. A diff does not change, so the model is only ever replaced as a whole.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QModelIndex, QObject
from PySide6.QtGui import QColor

from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.compare.diff import DiffNode, Relation, RunDiff, TotalPair, pair_words
from toolplanner_core.runs.compare.side_by_side import counts_words
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.presentation.run_columns import (
    MODEL_COLUMNS,
    OUTCOME_COLUMNS,
    VERDICT_COLUMNS,
    SummaryColumn,
)
from toolplanner_core.runs.presentation.run_list import calls_words, describe_run
from toolplanner_core.runs.presentation.states import Look, status_look
from toolplanner_core.runs.tree.formatting import (
    cost_words,
    count_words,
    model_calls_words,
    token_words,
)
from toolplanner_core.words.formatting import count, counted, duration, one_line
from toolplanner_core.words.word_diff import mark_differences
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import current_tokens
from toolplanner_gui.viewmodels.item_models import (
    Index,
    Role,
    Row,
    TreeModel,
    TreeRow,
    plain_tooltip,
)

POSITION_ROLE = Role.UserRole
"""Position of the row in `RunDiff.nodes`."""

LOOKS: Mapping[Relation, Look] = {
    Relation.SAME: Look("equal", "waiting", "same"),
    Relation.CHANGED: Look("not-equal-variant", "fell_back", "changed"),
    Relation.ONLY_LEFT: Look("minus-circle-outline", "failed", "only in run {left}"),
    Relation.ONLY_RIGHT: Look("plus-circle-outline", "ok", "only in run {right}"),
}
_FIRST = Look("flag", "accent", "")
_TITLES = ("Step", "Compared", "", "")
_TOTAL_TITLES: Mapping[str, str] = {
    "status": "Status",
    "model_calls": "Model calls",
    "api_calls": "API calls",
    "failed_calls": "Failed",
    "tokens": "Tokens",
    "seconds": "Time",
}
_COST = SummaryColumn(
    title="Cost", told=lambda summary: cost_words(summary.cost) if summary.cost else ""
)
_SAID = (*(each for each in OUTCOME_COLUMNS if each.title != "Ended"), *VERDICT_COLUMNS)
"""What stands beside the status, which says how a run ended."""
_OTHERS = (_COST, *MODEL_COLUMNS)
_N_NUMBERS = len(_TOTAL_TITLES) - 1
_FIRST_NUMBER = 2 + len(_SAID)
TOTAL_TITLES = (
    "Totals",
    _TOTAL_TITLES["status"],
    *(column.title for column in _SAID),
    *list(_TOTAL_TITLES.values())[1:],
    "Counted",
    *(column.title for column in _OTHERS),
)
NUMBER_TOTALS = range(_FIRST_NUMBER, _FIRST_NUMBER + _N_NUMBERS)
OPTIONAL_TOTALS = (*range(2, _FIRST_NUMBER), *range(NUMBER_TOTALS.stop, len(TOTAL_TITLES)))
"""Columns that are left out where they say nothing of either run."""


class CompareColumn(IntEnum):
    """Columns of the aligned tree."""

    TITLE = 0
    RELATION = 1
    LEFT = 2
    RIGHT = 3


class CompareModel(TreeModel[int]):
    """The aligned tree; a row stands for a position in `RunDiff.nodes`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_TITLES, parent)
        self.diff: RunDiff | None = None
        """What is shown."""
        self._rows: dict[int, TreeRow[int]] = {}

    def set_diff(self, diff: RunDiff | None, *, differences_only: bool = False) -> None:
        """Show a comparison.

        Args:
            differences_only: leave out places in which nothing differs.
        """
        self.beginResetModel()
        self.clear()
        self.diff, self._rows, self.titles = diff, {}, _TITLES
        if diff is not None:
            self.titles = (*_TITLES[:2], f"Run {diff.left.run}", f"Run {diff.right.run}")
            for position, node in enumerate(diff.nodes):
                is_same = node.relation is Relation.SAME and not node.differs_below
                if not (differences_only and is_same and position):
                    above = None if node.parent is None else self._rows[node.parent]
                    self._rows[position] = self.add(position, above)
        self.endResetModel()

    def node_of(self, index: Index) -> DiffNode | None:
        """The place of a row."""
        position = self.value_of(index)
        return None if self.diff is None or position is None else self.diff.nodes[position]

    def index_of(self, position: int) -> QModelIndex:
        """The row of a place; invalid when it is left out."""
        return self.index_at(self._rows.get(position))

    def differing(self) -> list[QModelIndex]:
        """Rows that have differences below them: what is worth opening."""
        nodes = () if self.diff is None else self.diff.nodes
        return [self.index_of(i) for i, node in enumerate(nodes) if node.differs_below or not i]

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        node = self.node_of(index)
        if node is None or self.diff is None:
            return None
        column = index.column()
        if role == Role.DisplayRole:
            return self._text(node, column)
        if role == POSITION_ROLE:
            return self.value_of(index)
        if role == Role.DecorationRole and column == CompareColumn.TITLE:
            is_first = self._is_first(index)
            look = _FIRST if is_first else LOOKS[node.relation]
            return make_icon(look.icon, look.token)
        if role == Role.ForegroundRole:
            return self._foreground(node, column)
        if role == Role.ToolTipRole:
            return plain_tooltip(self._words(index, node), 3000)
        if role == Role.AccessibleTextRole and column == CompareColumn.TITLE:
            return f"{node.title}, {self._relation(node)}"
        return None

    @property
    def counts(self) -> str:
        """How many places there are of each kind, by the words of their rows."""
        return "" if self.diff is None else " · ".join(counts_words(self.diff))

    def relation_words(self, relation: Relation) -> str:
        """A relation in words, with the numbers of the runs."""
        diff = self.diff
        left, right = (diff.left.run, diff.right.run) if diff else (0, 0)
        return LOOKS[relation].word.format(left=left, right=right)

    def _is_first(self, index: Index) -> bool:
        first = None if self.diff is None else self.diff.first
        return first is not None and first.node == self.value_of(index)

    def _foreground(self, node: DiffNode, column: int) -> QColor | None:
        if column == CompareColumn.RELATION and node.relation is not Relation.SAME:
            return QColor(current_tokens().colour(LOOKS[node.relation].token))
        is_dim = column != CompareColumn.TITLE or node.relation is Relation.SAME
        return QColor(current_tokens().colour("dim")) if is_dim else None

    def _text(self, node: DiffNode, column: int) -> str:
        if column == CompareColumn.TITLE:
            return one_line(node.title)
        if column == CompareColumn.RELATION:
            return self._relation(node)
        if not node.changes:
            return ""
        change = node.changes[0]
        if change.what == "steps":
            sides = (change.left or (), change.right or ())
            values = [counted(len(side), "step") for side in sides]
        else:
            values = list(pair_words(change.left, change.right))
        return values[0 if column == CompareColumn.LEFT else 1]

    def _relation(self, node: DiffNode) -> str:
        words = self.relation_words(node.relation)
        if node.changes:
            names = [change.what.replace("_", " ") for change in node.changes]
            words = f"{words}: {', '.join(names)}"
        if node.relation is Relation.SAME and node.differs_below:
            words = "differs below"
        if node.relation is Relation.SAME and node.is_prompt_same is False:
            words = f"{words}, asked in other words"
        return words

    def _words(self, index: Index, node: DiffNode) -> str:
        lines = [node.title, self._relation(node)]
        if self._is_first(index):
            lines.insert(1, "Here the runs first went different ways.")
        if node.elsewhere is not None:
            lines.append(f"The other run calls it at {node.elsewhere}.")
        if node.is_prompt_same is False:
            lines.append("It was asked in other words.")
        return "\n".join(lines)


_LONGEST = 1_000


def change_rows(node: DiffNode | None) -> list[tuple[str, str, str]]:
    """What differs at a place: what it is, and both sides with the words marked that differ."""
    rows: list[tuple[str, str, str]] = []
    for change in () if node is None else node.changes:
        left, right = pair_words(change.left, change.right, longest=_LONGEST)
        rows.append((change.what.replace("_", " ").capitalize(), *mark_differences(left, right)))
    return rows


def total_rows(diff: RunDiff) -> list[Row]:
    """The totals of both runs, one below the other."""

    def row(summary: RunSummary, values: Sequence[Any]) -> Row:
        return Row(
            cells=(
                f"Run {summary.run}",
                values[0],
                *(column.told(summary) for column in _SAID),
                *values[1:],
                " · ".join(count_words(summary.counts)),
                *(column.told(summary) for column in _OTHERS),
            ),
            key=summary.run,
            tooltip=describe_run(summary),
        )

    pairs = {pair.name: pair for pair in diff.totals}
    wanted = [pairs[name] for name in _TOTAL_TITLES]
    return [
        row(diff.left, [_total(pair, pair.left, diff.left) for pair in wanted]),
        row(diff.right, [_total(pair, pair.right, diff.right) for pair in wanted]),
    ]


def totals_line(diff: RunDiff) -> str:
    """The totals of both runs in a line: what most tells them apart, shortest."""

    def totals_of(summary: RunSummary) -> str:
        parts = (
            f"run {summary.run} {status_look(summary.status, summary.strategy).word}",
            calls_words(summary),
            model_calls_words(summary.model_calls, summary.repeated_model_calls),
            token_words(summary.tokens, summary.estimated_tokens) if summary.tokens else "",
            duration(summary.seconds),
        )
        return ", ".join(filter(None, parts))

    line = f"{totals_of(diff.left)} · {totals_of(diff.right)}"
    return f"{line[:1].upper()}{line[1:]}"


def _total(pair: TotalPair, value: Any, summary: RunSummary) -> str:
    if pair.name == "status":
        return status_look(Status(value), summary.strategy).word
    if pair.name == "seconds":
        return duration(value)
    is_guess = pair.name == "tokens" and summary.estimated_tokens
    return f"about {count(value)}" if is_guess else count(value)
