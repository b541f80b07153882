"""The events of a run as a table that can be filtered.

The events of a run as a table: heads first, what each says filled in later. Fifty thousand rows
cost a list of tuples; a cell is made when it is painted, and what a stored event says is asked for
then, by pages. A filter keeps the positions of the rows that fit. Used by the event log panel.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QObject, Signal
from PySide6.QtGui import QColor

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.events.event import Event, Record, line_of, type_words
from toolplanner_core.runs.presentation.tree_rows import title_of
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.words.formatting import count, duration, one_line
from toolplanner_core.workspace.run_log import HeadRow
from toolplanner_gui.theme.tokens import current_tokens
from toolplanner_gui.viewmodels.item_models import RIGHT, ROOT, Columns, Index, Role, plain_tooltip


class LogIndex(NamedTuple):
    """What is looked up in a log: the first event of each node, types and actors that occur."""

    first: dict[NodePath, int]
    types: set[str]
    actors: set[str]


def build_log_index(heads: Sequence[HeadRow]) -> LogIndex:
    """Facts of a whole log; any thread, since a long one takes tens of milliseconds."""
    facts = LogIndex({}, set(), set())
    note(facts, heads)
    return facts


def note(facts: LogIndex, heads: Sequence[HeadRow]) -> None:
    """Add the next events."""
    for head in heads:
        facts.first.setdefault(head.path, head.seq)
        facts.types.add(head.type)
        facts.actors.add(head.actor)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """Which events are shown; "" = all.

    Attributes:
        text: words that all must occur in type, actor, node or what the event says.
        type: name of a type, such as "call.failed".
        actor: value of an `Actor`.
    """

    text: str = ""
    type: str = ""
    actor: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether all events are shown."""
        return not (self.text.strip() or self.type or self.actor)


PAGE = 1000
"""Events whose texts are read at once: some ten milliseconds on a reader thread."""


class Column(IntEnum):
    """Columns of the log."""

    SEQ = 0
    TIME = 1
    TYPE = 2
    ACTOR = 3
    NODE = 4
    SAYS = 5
    CAUSE = 6


class EventLogModel(Columns, QAbstractTableModel):
    """Rows of events.

    Signals:
        page_wanted: number of a page (of `PAGE` events) whose texts are looked at and not there.
    """

    titles = ("Event", "Time", "Type", "By", "Node", "What it says", "Cause")
    numbers = (Column.SEQ, Column.TIME)
    page_wanted = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._heads: list[HeadRow] = []
        self._says: list[str | None] = []
        self._unsaid: dict[int, Event] = {}
        self._wanted: set[int] = set()
        self._facts = LogIndex({}, set(), set())
        self._nodes: Mapping[NodePath, Node] = {}
        self._filter = EventFilter()
        self._shown: list[int] = []
        """Positions of the events that pass the filter, rising."""

    @property
    def n_events(self) -> int:
        """Number of events, shown or not."""
        return len(self._heads)

    @property
    def last_seq(self) -> int:
        """Number of the last event, 0 for none."""
        return self._heads[-1].seq if self._heads else 0

    def set_events(
        self,
        heads: Sequence[HeadRow],
        nodes: Mapping[NodePath, Node],
        facts: LogIndex | None = None,
    ) -> None:
        """Show another run.

        Args:
            nodes: the tree of the run, for titles; the fold goes on changing this mapping.
            facts: of these events, where somebody has gathered them already.
        """
        self.beginResetModel()
        self._heads = list(heads)
        self._says = [None] * len(heads)
        self._unsaid, self._wanted = {}, set()
        self._nodes = nodes
        self._facts = facts or build_log_index(heads)
        self._shown = self._fitting(0)
        self.endResetModel()

    def append(self, records: Sequence[Record]) -> None:
        """Add new events at the end; those that are there already are passed over."""
        new = [record for record in records if record.seq > self.last_seq]
        begin = len(self._heads)
        heads = [record.holding(None) for record in new]
        self._heads += heads
        self._says += [None] * len(new)
        self._unsaid.update(enumerate((record.event for record in new), begin))
        note(self._facts, heads)
        fitting = self._fitting(begin)
        if fitting:
            rows = len(self._shown)
            self.beginInsertRows(ROOT, rows, rows + len(fitting) - 1)
            self._shown += fitting
            self.endInsertRows()

    def fill(self, seqs: Sequence[int], texts: Sequence[str]) -> None:
        """Tell what stored events say; `seqs` follow one another."""
        for seq, text in zip(seqs, texts, strict=True):
            position = self._position(seq)
            if position is not None:
                self._says[position] = text
                self._unsaid.pop(position, None)
        if seqs and not self._filter.text:
            begin = bisect_left(self._shown, seqs[0], key=self._seq_at)
            end = bisect_right(self._shown, seqs[-1], key=self._seq_at) - 1
            if begin <= end:
                self.dataChanged.emit(self.index(begin, Column.SAYS), self.index(end, Column.SAYS))

    def set_filter(self, wanted: EventFilter) -> None:
        """Show only some events."""
        self.beginResetModel()
        self._filter = wanted
        self._shown = self._fitting(0)
        self.endResetModel()

    def seq_before(self, page: int) -> int:
        """Number of the event before the first one of a page."""
        return self._heads[page * PAGE].seq - 1

    def missing_pages(self) -> list[int]:
        """Pages with texts that nobody has read, the last one first."""
        found = {
            position // PAGE
            for position, text in enumerate(self._says)
            if text is None and position not in self._unsaid
        }
        return sorted(found, reverse=True)

    def refilter(self) -> None:
        """Texts have been filled in since the filter was set."""
        if self._filter.text:
            self.set_filter(self._filter)

    def head(self, index: Index) -> HeadRow | None:
        """The event of a row."""
        return self._heads[self._shown[index.row()]] if index.isValid() else None

    def row_of(self, seq: int) -> int | None:
        """The row of an event, None when it is not shown."""
        position = self._position(seq)
        if position is None:
            return None
        row = bisect_left(self._shown, position)
        return row if row < len(self._shown) and self._shown[row] == position else None

    def first_of(self, path: NodePath) -> int | None:
        """Number of the first event of a node."""
        return self._facts.first.get(path)

    def types(self) -> list[str]:
        """Types of events that occur, in order of their words."""
        return sorted(self._facts.types, key=type_words)

    def actors(self) -> list[str]:
        """Who did something."""
        return sorted(self._facts.actors)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        position, column = self._shown[index.row()], index.column()
        if role == Role.DisplayRole:
            return self._text(position, column)
        if role == Role.TextAlignmentRole:
            return RIGHT if column in self.numbers else None
        if role == Role.ForegroundRole:
            if column == Column.CAUSE:
                return QColor(current_tokens().accent)
            return None if column in (Column.TYPE, Column.SAYS) else QColor(current_tokens().dim)
        if role == Role.ToolTipRole:
            if column == Column.CAUSE and self._heads[position].cause is not None:
                return plain_tooltip(self._cause_words(position))
            return plain_tooltip(self._text(position, column))
        if role == Role.AccessibleTextRole and column == Column.SEQ:
            return ", ".join(
                text for c in Column if c is not Column.CAUSE and (text := self._text(position, c))
            )
        return None

    def _text(self, position: int, column: int) -> str:
        head = self._heads[position]
        match column:
            case Column.SEQ:
                return count(head.seq)
            case Column.TIME:
                return duration(head.mono_ns / 1e9)
            case Column.TYPE:
                return type_words(head.type)
            case Column.ACTOR:
                return head.actor
            case Column.NODE:
                return self._node_title(head.path)
            case Column.SAYS:
                return self._text_at(position)
            case _:
                return "" if head.cause is None else f"↰ {count(head.cause)}"

    def _cause_words(self, position: int) -> str:
        cause = self._heads[position].cause
        at = None if cause is None else self._position(cause)
        if at is None:
            return ""
        head = self._heads[at]
        return f"{type_words(head.type)}\n{self._node_title(head.path)}\n{self._text_at(at)}"

    def _text_at(self, position: int) -> str:
        """What an event says; "" while that is being read."""
        text = self._says[position]
        if text is None and position in self._unsaid:
            text = self._says[position] = line_of(self._unsaid.pop(position))
        elif text is None and position // PAGE not in self._wanted:
            self._wanted.add(position // PAGE)
            self.page_wanted.emit(position // PAGE)
        return text or ""

    def _seq_at(self, position: int) -> int:
        return self._heads[position].seq

    def _node_title(self, path: NodePath) -> str:
        node = self._nodes.get(path)
        if not path:
            return "Run"
        return path if node is None else one_line(title_of(node), 90)

    def _position(self, seq: int) -> int | None:
        # Numbers have no gaps, so the place is known; searching it took half a second for a log.
        position = seq - self._heads[0].seq if self._heads else -1
        is_there = 0 <= position < len(self._heads) and self._heads[position].seq == seq
        return position if is_there else None

    def _fitting(self, begin: int) -> list[int]:
        """Positions from `begin` on that pass the filter."""
        wanted = self._filter
        if wanted.is_empty:
            return list(range(begin, len(self._heads)))
        words = wanted.text.lower().split()
        known: dict[tuple[str, str, str], str] = {}
        found: list[int] = []
        for position in range(begin, len(self._heads)):
            head = self._heads[position]
            if wanted.type and head.type != wanted.type:
                continue
            if wanted.actor and head.actor != wanted.actor:
                continue
            if words:
                key = (head.type, head.actor, head.path)
                text = known.get(key)
                if text is None:
                    title = self._node_title(head.path)
                    text = f"{head.type} {type_words(head.type)} {head.actor} {title} ".lower()
                    known[key] = text
                if self._says[position] is not None or position in self._unsaid:
                    text += self._text_at(position).lower()
                if not all(word in text for word in words):
                    continue
            found.append(position)
        return found
