"""The results of the toolkit list's search: toolkits by name, APIs by words and meaning.

The best are listed, with the toolkits that hold them, and follow edits as the list does; they and
everything else that holds the words are ringed on the map, and a button selects what holds the
words, with its exact number, for an edit of them all. Part of the toolkits panel.

What the list of a search says of itself: how many, found by what, and in which toolkits. Pure
functions; used by the toolkits panel's search.
"""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QPoint, QTimer, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QAbstractItemView, QWidget

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.words.formatting import count, counted, one_line, score
from toolplanner_core.words.stop_words import search_terms
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.icons import colour_swatch, make_icon
from toolplanner_gui.theme.tokens import EDGE, SPACE
from toolplanner_gui.viewmodels.api_search import ApiSearch, Hit
from toolplanner_gui.viewmodels.curate.toolkit_model import ALL_EXCLUDED
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel, plain_tooltip
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import on_menu, push_button
from toolplanner_gui.widgets.draggable_tree import DraggableTree
from toolplanner_gui.widgets.highlight_delegate import HighlightDelegate
from toolplanner_gui.widgets.input_fields import SearchField
from toolplanner_gui.widgets.labels import text_label

BY_MEANING = "≈"
"""Before the score of an API that meaning alone has found."""
FOUND_SAYS = (
    f"Toolkits by name, APIs by words and meaning. {BY_MEANING} before the score: found by meaning"
    " alone, it holds none of the words."
)
MORE = "more toolkits"
"""Key of the row that lists the other toolkits with such a name."""


def match_words(*, by_meaning: bool) -> str:
    """By what an API was found."""
    return "Found by meaning alone: holds none of the words" if by_meaning else "Found by words"


def semantic_match_words(n_by_meaning: int, n_hits: int) -> list[str]:
    """How many of those listed meaning alone has found, as a part of a line."""
    if not n_by_meaning:
        return []
    n = "all" if n_by_meaning == n_hits else count(n_by_meaning)
    return [f"{n} by meaning alone ({BY_MEANING})"]


def listed_count_words(n: int, most: int) -> str:
    """ "3 toolkits"; "20 of 26 toolkits" where not all are listed."""
    return counted(n, "toolkit") if n <= most else f"{count(most)} of {counted(n, 'toolkit')}"


def no_match_words(text: str, n_hits: int, n_homes: int, n_shown: int, named: str) -> str:
    """That no API holds all the words, and what is listed in place of such.

    Args:
        n_homes: toolkits that hold what is listed; `n_shown`: how many of them are listed.
        named: the toolkits that are listed for their name, "" = none.
    """
    text = one_line(text, 40)
    if not n_hits:
        also = f" · {named} by name" if named else ""
        return f"Nothing found: no API holds a word of “{text}”{also}"
    near = f"the nearest {n_hits} are" if n_hits > 1 else "the nearest is"
    said = f"No API holds all the words of “{text}” · {near} shown"
    return said + toolkit_count_words(n_homes, n_shown)


def toolkit_count_words(n_homes: int, n_shown: int) -> str:
    """ ", in 10 toolkits (8 listed)": the toolkits that hold the APIs just spoken of; "" if none
    does. It follows that number at once, since other numbers of the line speak of other APIs."""
    if not n_homes:
        return ""
    few = f" ({n_shown} listed)" if n_shown < n_homes else ""
    return f", in {counted(n_homes, 'toolkit')}{few}"


def more_toolkits_row(n: int) -> list[Row]:
    """The row that lists the toolkits by name that are left out; none if there are none."""
    told = f"{counted(n, 'more toolkit')} by name …"
    return [Row(cells=(told, ""), key=MORE, tooltip="List them")] if n > 0 else []


_SCORE_WIDTH = 78
_TOOLKITS = 8
"""Toolkits that are listed for their name before the APIs; a last row lists the others."""
_HOLDERS = 8
"""Toolkits that are listed since they hold APIs that were found."""


@dataclass(frozen=True, slots=True)
class FoundToolkit:
    """Key of a row that stands for a toolkit; rows of APIs have their row id as key."""

    id: ToolkitId


class ToolkitSearch(QWidget):
    """Follows a search field; emits `menu_wanted` with a place of the screen."""

    menu_wanted = Signal(QPoint)

    def __init__(self, context: AppContext, field: SearchField, panel: QWidget) -> None:
        super().__init__(panel)
        self._context = context
        self._field = field
        self._panel = panel
        self._search = ApiSearch(context.tasks, self)
        self._text = ""
        self._hits: Sequence[Hit] = ()
        self._problem = ""
        self._unused: frozenset[ToolkitId] = frozenset()
        self._named: list[ToolkitId] = []
        self._most = _TOOLKITS
        """How many are listed now: all of them once a person asks for more."""
        self.note = text_label(role="dim", is_wrapped=True)
        self.all_button = push_button("", self._select_all, role="link")
        self.model = TableModel(("Found", "Score"), self, numbers=(1,))
        self.model.meanings = (FOUND_SAYS, "")
        self.view = DraggableTree("Toolkits and APIs found", lambda _row: True, is_flat=True)
        self.view.keep_both_ends()
        self.view.set_model(self.model, {1: _SCORE_WIDTH})
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._delegate = HighlightDelegate(self.view)
        self.view.setItemDelegate(self._delegate)
        line = row_of((self.note, 1), self.all_button, margins=(EDGE, 0, EDGE, 0))
        column_of(line, (self.view, 1), of=self, gap=SPACE)
        self._search.found.connect(self._on_found)
        context.catalogue_edited.connect(self._show)
        context.colours_changed.connect(self.view.viewport().update)
        self.view.selectionModel().selectionChanged.connect(self._on_selection)
        on_menu(self.view, lambda _place, at: self.menu_wanted.emit(at))

    @property
    def problem(self) -> str:
        """Why vectors took no part in the last search, although there are some; "" if they did."""
        return self._problem

    @property
    def is_idle(self) -> bool:
        """Whether the newest search was answered."""
        return self._search.is_idle

    def set_catalogue(self) -> None:
        """Search another catalogue."""
        self._problem = ""
        self._search.set_workspace(self._context.workspace)
        self._search.search(self._field.text().strip())
        self._show()

    def toolkit_at(self, place: QPoint | None) -> ToolkitId | None:
        """The toolkit found at a global place, which is marked."""
        key = self.view.row_at(place).data(KEY_ROLE)
        return key.id if isinstance(key, FoundToolkit) else None

    def search(self, text: str) -> None:
        """Search for a text; "" finds nothing."""
        self._delegate.set_words(search_terms(text))
        self._search.search(text)
        if text and not self._text:
            # The first search of a catalogue reads its vectors: an empty list is no answer yet.
            self.note.setText("Searching …")
            self.all_button.hide()
            self.model.set_rows([])
        if not text:
            self._text = ""
            self._context.map_look.mark_found("list", None)

    def mark_selection(self) -> None:
        """Mark the rows of what is selected, wherever that was done, and no other."""
        chosen, selection = self._context.chosen, self._context.selection
        toolkits = {toolkit.id for toolkit in chosen.toolkits}
        rowids = set[int]() if toolkits else set(selection.rowids().tolist())
        wanted = [
            position
            for position in range(self.model.rowCount())
            if _is_of(self.model.row(position).key, toolkits, rowids)
        ]
        marked, flag = self.view.selectionModel(), QItemSelectionModel.SelectionFlag
        was_blocked = marked.blockSignals(True)
        try:
            marked.clearSelection()
            for position in wanted:
                marked.select(self.model.index(position, 0), flag.Select | flag.Rows)
        finally:
            marked.blockSignals(was_blocked)
        self.view.viewport().update()

    def _on_found(self, text: str, hits: Sequence[Hit], problem: str) -> None:
        if text != self._field.text().strip():
            return
        is_new = text != self._text
        if is_new:
            self._named, self._most = [], _TOOLKITS
        self._text, self._hits, self._problem = text, hits, problem
        self._show()
        if is_new:
            self.view.scrollToTop()
        self._mark_on_map([hit.rowid for hit in hits])
        n_all = len(self._search.matching)
        # Where all that hold the words are listed, and nothing else is, they are simply all.
        is_list = {hit.rowid for hit in hits} == set(self._search.matching.tolist())
        which = "" if is_list else " with the words"
        self.all_button.setText(f"Select all {count(n_all)}{which}")
        self.all_button.setToolTip(
            plain_tooltip(
                f"Select the {counted(n_all, 'API')} that hold every word of the search, listed or"
                " not. Ctrl+A in the list selects what is listed."
            )
        )
        self.all_button.setVisible(n_all > 0)

    def _show(self) -> None:
        """List what was found as the catalogue is now; what is marked stays marked."""
        if not self._text:
            return
        catalogue = self._context.catalogue
        self._unused = catalogue.unused_toolkits()
        living = {toolkit.id: toolkit for toolkit in catalogue.toolkits}
        by_name = [t.id for t in catalogue.named(self._text)]
        # One that was renamed stays where it is: nobody loses it by naming it.
        self._named = with_late_hits([t for t in self._named if t in living], by_name)
        homes = catalogue.toolkits_of([hit.rowid for hit in self._hits])
        found = Counter(t.id for t in homes if t is not None)
        best = dict[ToolkitId, float]()
        for hit, home in zip(self._hits, homes, strict=True):
            if home is not None:
                best[home.id] = best.get(home.id, 0.0) + hit.score
        held = sorted(best.keys() - set(self._named), key=lambda t: (-best[t], t))
        named = [self._toolkit_row(living[t], found[t]) for t in self._named[: self._most]]
        holding = [self._toolkit_row(living[t], found[t]) for t in held[:_HOLDERS]]
        more = more_toolkits_row(len(self._named) - self._most)
        self._set_rows([*named, *more, *holding, *map(self._api_row, self._hits, homes)])
        self._say(len(by_name), len(held), len(best))

    def _set_rows(self, rows: Sequence[Row]) -> None:
        chosen, bar = self.view.selectionModel(), self.view.verticalScrollBar()
        marked = [index.data(KEY_ROLE) for index in chosen.selectedRows(0)]
        current = self.view.currentIndex().data(KEY_ROLE)
        place = bar.value()
        was_blocked = chosen.blockSignals(True)
        try:
            self.model.update_rows(rows)
            flag = QItemSelectionModel.SelectionFlag
            at = None if current is None else self.model.position_of(current)
            if at is not None:
                chosen.setCurrentIndex(self.model.index(at, 0), flag.NoUpdate)
            for key in marked:
                position = self.model.position_of(key)
                if position is not None:
                    chosen.select(self.model.index(position, 0), flag.Select | flag.Rows)
        finally:
            chosen.blockSignals(was_blocked)
        bar.setValue(place)

    def _say(self, n_named: int, n_holders: int, n_homes: int) -> None:
        hits, total = self._hits, self._context.catalogue.n_apis
        n_all = len(self._search.matching)
        n_shown = min(n_holders, _HOLDERS) + n_homes - n_holders
        best = f"{counted(len(hits), 'API')} of {count(total)}, best first"
        parts = [best + toolkit_count_words(n_homes, n_shown)]
        if n_all not in (0, len(hits)):
            parts.append(f"{count(n_all)} with all the words")
        near = semantic_match_words(sum(hit.by_meaning for hit in hits), len(hits))
        parts += near
        if named := listed_count_words(n_named, self._most) if n_named else "":
            parts.append(f"{named} by name")
        said = " · ".join(parts)
        if not n_all:
            none = no_match_words(self._text, len(hits), n_homes, n_shown, named)
            said = " · ".join([none, *near])
        self.note.setText(f"{said}. Found by words only." if self._problem and hits else said)
        self.note.setToolTip(plain_tooltip(self._problem))

    def _mark_on_map(self, listed: Sequence[int]) -> None:
        """Ring what is listed and what else holds all the words."""
        catalogue = self._context.catalogue
        mask = np.zeros(len(catalogue.rowids), dtype=bool)
        for rowids in (self._search.matching, np.array(listed, np.int64)):
            mask[catalogue.points_of(rowids)] = True
        self._context.map_look.mark_found("list", mask)

    def _toolkit_row(self, toolkit: Toolkit, n_found: int) -> Row:
        size = counted(toolkit.size, "API")
        is_held = toolkit.id not in self._named
        unused = f"{ALL_EXCLUDED}\n" if toolkit.id in self._unused else ""
        held = f"holds {count(n_found)} of the APIs found\n" if n_found else ""
        return Row(
            cells=(
                one_line(toolkit.name),
                f"{count(n_found)} of {count(toolkit.size)}" if is_held else size,
            ),
            key=FoundToolkit(toolkit.id),
            icon=lambda: make_icon("cancel" if unused else "hexagon-multiple-outline"),
            tooltip=f"{toolkit.name} · {size}\n{unused}{held}{toolkit.description}",
        )

    def _api_row(self, hit: Hit, home: Toolkit | None) -> Row:
        parts = " · ".join(f"{name} {score(value)}" for name, value in hit.parts.items())
        mark, by = (
            f"{BY_MEANING} " if hit.by_meaning else "",
            match_words(by_meaning=hit.by_meaning),
        )
        return Row(
            cells=(one_line(hit.title), f"{mark}{score(hit.score)}"),
            key=hit.rowid,
            icon=lambda: self._dot(hit.rowid),
            tooltip="\n".join(
                filter(None, (hit.title, home.name if home else "", hit.description, by, parts))
            ),
        )

    def _dot(self, rowid: int) -> QIcon:
        """The colour that an API has on the map, as it is when it is painted; without one as much
        room, so that the titles stand below each other."""
        colour = self._context.map_look.colour_of(rowid)
        home = self._context.catalogue.toolkits_of([rowid])[0]
        if colour is None and home is not None:
            colour = self._context.colours.get(home.id)
        return colour_swatch(colour or "")

    def _on_selection(self) -> None:
        keys = [index.data(KEY_ROLE) for index in self.view.selectionModel().selectedRows(0)]
        if keys == [MORE]:
            self._most = len(self._named)
            QTimer.singleShot(0, self, self._show)  # not while the view still selects the row
            return
        toolkits = [key.id for key in keys if isinstance(key, FoundToolkit)]
        apis = [key for key in keys if isinstance(key, int)]
        made = {"by": "search", "text": self._field.text().strip()}
        self._context.selection.select_rows(toolkits, apis, self._panel, made=made)

    def _select_all(self) -> None:
        made = {"by": "search", "text": self._field.text().strip()}
        self._context.selection.select_apis(self._search.matching, self._panel, made=made)


def with_late_hits(kept: Sequence[ToolkitId], ranked: Sequence[ToolkitId]) -> list[ToolkitId]:
    """Those that are listed, in their order, and each other one behind what it follows by rank."""
    listed, known = list(kept), set(kept)
    if not listed:
        return list(ranked)
    for place, toolkit in enumerate(ranked):
        if toolkit not in known:
            before = ranked[place - 1] if place else None
            listed.insert(listed.index(before) + 1 if before is not None else 0, toolkit)
    return listed


def _is_of(key: object, toolkits: Container[ToolkitId], rowids: Container[int]) -> bool:
    return (
        key.id in toolkits
        if isinstance(key, FoundToolkit)
        else isinstance(key, int) and key in rowids
    )
