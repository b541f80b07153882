"""What an import would bring, in tabs: what comes in, what of it is wanted, what changes, what is
left out."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QTabWidget, QWidget

from toolplanner_core.domain.api import Risk
from toolplanner_core.sources.comparing import Comparison
from toolplanner_core.sources.leaving_out import LeaveOut
from toolplanner_core.sources.previewing import ApiGroup, ImportPreview
from toolplanner_core.words.wording import one_line
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.boxes import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.search_field import SearchField
from toolplanner_gui.widgets.views import QuietTree, code_view


class _Way(NamedTuple):
    """A way to choose: by what, and the name of a group without a name."""

    title: str
    of: Callable[[ApiGroup], str]
    nameless: str


_WAYS = (
    _Way("By file", lambda group: group.file, "All of it"),
    _Way("By category", lambda group: group.category, "No category"),
    _Way("By risk", lambda group: group.risk.value, ""),
)


class ImportChoice(QWidget):
    """Switches for files, categories and risks, and words that all of them must have.

    Signals:
        changed: a switch; the counts are known.
        searched: other words; it has to be read again.
    """

    changed = Signal()
    searched = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.ways = QComboBox()
        self.ways.setAccessibleName("What is chosen")
        self.ways.addItems([way.title for way in _WAYS])
        self.words = SearchField("Only APIs with these words")
        self.model = TableModel(("Comes in", "APIs"), self, numbers=(1,))
        view = QuietTree("What is wanted", is_flat=True)
        view.keep_both_ends()
        view.set_model(self.model, {1: 80})
        everything = push_button("All", lambda: self._all(is_on=True))
        nothing = push_button("None", lambda: self._all(is_on=False))
        bar = row_of(self.ways, everything, nothing, (self.words, 1), gap=GAP)
        column_of(bar, (view, 1), of=self, gap=GAP, margins=(0, GAP, 0, 0))
        self._groups: Counter[ApiGroup] = Counter()
        self._off: tuple[set[str], ...] = tuple(set[str]() for _ in _WAYS)
        self.ways.currentIndexChanged.connect(self._show)
        self.words.searched.connect(self.searched)
        self.model.switched.connect(self._on_switched)

    @property
    def leave_out(self) -> LeaveOut:
        """What is not wanted."""
        files, categories, risks = self._off
        return LeaveOut(
            files=frozenset(files),
            categories=frozenset(categories),
            risks=frozenset(map(Risk, risks)),
            words=self.words.text().strip(),
        )

    def show_groups(self, preview: ImportPreview) -> None:
        """List what a preview found."""
        self._groups = Counter(preview.groups)
        self._show()

    def forget(self) -> None:
        """Another location: everything is wanted again."""
        for off in self._off:
            off.clear()
        with_words = bool(self.words.text())
        self.words.blockSignals(True)
        self.words.clear()
        self.words.blockSignals(False)
        if with_words:
            self._show()

    def _show(self) -> None:
        way, off = self._way
        counts: Counter[str] = Counter()
        for group, n in self._groups.items():
            counts[way.of(group)] += n
        self.model.update_rows(
            [
                Row(cells=(one_line(name, 200) or way.nameless, f"{n:,}"), key=name,
                    is_on=name not in off, tooltip=name)
                for name, n in counts.most_common()
            ]
        )  # fmt: skip

    @property
    def _way(self) -> tuple[_Way, set[str]]:
        position = max(0, self.ways.currentIndex())
        return _WAYS[position], self._off[position]

    def _on_switched(self, name: str, is_on: bool) -> None:
        off = self._way[1]
        (off.discard if is_on else off.add)(name)
        self._show()
        self.changed.emit()

    def _all(self, *, is_on: bool) -> None:
        way, off = self._way
        off.clear()
        if not is_on:
            off.update(way.of(group) for group in self._groups)
        self._show()
        self.changed.emit()


class ImportPreviewTabs(QTabWidget):
    """The tabs; `choice` says what is wanted."""

    def __init__(self) -> None:
        super().__init__()
        self.setDocumentMode(True)
        self.choice = ImportChoice()
        self._apis = TableModel(("API", "Category", "Risk", "Description"), self)
        self._changes = TableModel(("API", "What", "State"), self)
        self._rejected = TableModel(("Where", "Why"), self)
        self._details = code_view("What changed, word by word")
        self._details.setMaximumHeight(110)
        changes = _table("Difference to what is there", self._changes, {1: 240, 2: 130})
        changes.selectionModel().currentChanged.connect(
            lambda now, _: self._details.setPlainText(str(now.data(KEY_ROLE) or ""))
        )
        changed = QWidget()
        column_of((changes, 1), self._details, of=changed, gap=GAP, margins=(0, GAP, 0, EDGE))
        shown = _table("APIs that would come in", self._apis, {1: 130, 2: 104, 3: 240})
        rejected = _table("Records that cannot come in", self._rejected, {1: 320})
        for page, title in (
            (shown, "First of what comes in"), (self.choice, "Choose"), (changed, "Difference"),
            (rejected, "Rejected"),
        ):  # fmt: skip
            self.addTab(page, title)

    def show_preview(self, preview: ImportPreview) -> None:
        """Show one preview."""
        self._apis.set_rows(
            [
                Row(
                    cells=(
                        one_line(a.title, 120), a.category, a.risk.value,
                        one_line(a.description, 160),
                    ),
                    key=a.id,
                    tooltip=f"{a.title}\n{a.description}",
                )
                for a in preview.first
            ]
        )  # fmt: skip
        self._rejected.set_rows(
            [
                Row(cells=(one_line(r.where, 160), r.why), key=i, tooltip=f"{r.where}\n{r.why}")
                for i, r in enumerate(preview.rejected)
            ]
        )
        self.choice.show_groups(preview)
        found = preview.comparison or Comparison()
        if not preview.is_complete:
            # What is not read yet is not gone.
            found = replace(found, missing=0, gone=[], gone_titles=[])
        self._changes.set_rows(_difference(found))
        self._details.setPlainText(
            "Choose an API to see what changed of it, word by word." if found.changes else ""
        )
        n_new = found.added - found.twice if found.new else 0
        n_all = n_new + found.changed + found.missing + found.twice
        self.setTabVisible(2, bool(n_all))
        # What was not read yet is no difference, though so far it does not come again.
        n = f"{n_all:,}" if preview.is_complete else "…"
        self.setTabText(2, f"Difference ({n})")
        self.setTabText(3, f"Rejected ({preview.rejected_count:,})")


def _difference(found: Comparison) -> list[Row]:
    rows = [
        Row(
            cells=(
                one_line(change.title, 120), one_line(", ".join(change.parts), 120),
                change.outcome,
            ),
            key="\n".join(f"{part.part}: {part.told}" for part in change.details),
        )
        for change in found.changes
    ]  # fmt: skip
    rows += [Row(cells=(one_line(title, 120), "is new", "comes in"), key="") for title in found.new]
    rows += [
        Row(cells=(one_line(title, 120), "does not come again", "stays as it is"), key=key)
        for key, title in zip(found.gone, found.gone_titles, strict=True)
    ]
    rows += [
        Row(cells=(one_line(title, 120), "another catalogue has it too", "comes in twice"), key="")
        for title in found.elsewhere
    ]
    return rows


def _table(name: str, model: TableModel, widths: dict[int, int]) -> QuietTree:
    view = QuietTree(name, is_flat=True)
    view.set_model(model, widths)
    return view
