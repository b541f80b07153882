"""The command palette: every action, toolkit and API by a few letters of its name (Ctrl+K).

A command that is called by its own word comes first, even where it changes something or cannot be
done now, which it then says; then what only shows or asks, the names, and all that is meant less:
no other word puts what changes something first. What is called exactly as typed stands before all
of them. Return does what is marked, and waits for the APIs where these may still come before it;
Escape closes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QKeyEvent, QWindow
from PySide6.QtWidgets import QWidget

from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.words.fuzzy_matching import begins_words, fuzzy_score
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import titles_by_rowid
from toolplanner_core.workspace.search_index import rowids_with_words
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.action import Action, Submenu, menus
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.icons import blank, colour_swatch, make_icon
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.viewmodels.item_models import Row, TableModel
from toolplanner_gui.widgets.highlight_delegate import HighlightDelegate
from toolplanner_gui.widgets.input_fields import SearchField
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.type_ahead import TypeAhead
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin
from toolplanner_gui.windows.shortcuts_dialog import keys_in_words, plain_title

_SIZE = (560, 420)
_TOP = 96
_ACTIONS = 14
_TOOLKITS = 8
_APIS = 12
_READ_APIS = 2000
"""Among so many of those that hold the words, one that is called like the text is looked for."""
_KEYS_WIDTH = 140
_NO_SUBJECT = "There is nothing that it could be done with"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """One row of the palette; `why_not` says why it cannot be done, "" = it can.

    Attributes:
        asked: what typed letters are compared with: not the name of the edit that would be undone.
    """

    title: str
    asked: str = ""
    changes: bool = False
    right: str
    run: Callable[[AppContext], object]
    why_not: str = ""
    icon: Callable[[], QIcon] | None = None

    def is_called(self, words: Sequence[str]) -> bool:
        """Whether whole words of it were typed, the first of its own among them."""
        menu, _, own = (self.asked or self.title).casefold().rpartition(": ")
        named = own.split()
        return bool(named) and named[0] in words and {*words} <= {*named, *menu.split()}

    def is_named(self, text: str) -> bool:
        """Whether a folded text is its whole title, or the name of its API."""
        return text in _own_names(self.title)

    def is_meant(self, words: Sequence[str]) -> bool:
        """Whether the words begin words of it, and it can be done and changes nothing."""
        title = self.asked or self.title
        return not self.changes and not self.why_not and begins_words(words, title)


class CommandPalette(Dialog):
    """A field and what fits it."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Command palette")
        self.resize(*_SIZE)
        self._asked = 0
        self._is_finding = False
        self._is_marked = False
        self._is_wanted = False
        self._has_opened = False
        self._choices: list[_Choice] = []
        self._names_end = 0
        self.field = SearchField("Type a command, a toolkit or an API", is_all=True)
        self.model = TableModel(("Command", "Keys"), self, numbers=(1,))
        self.view = QuietTree("Commands, toolkits and APIs", is_flat=True)
        self.view.set_model(self.model, {1: _KEYS_WIDTH})
        self.view.setHeaderHidden(True)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._delegate = HighlightDelegate(self.view)
        self.view.setItemDelegate(self._delegate)
        self.note = text_label(role="dim", is_wrapped=True)
        self.column.setSpacing(GAP)
        self.add(self.field, (self.view, 1), self.note)
        self.field.textChanged.connect(self._fill)
        self.field.left_down.connect(lambda: self._step(1))
        self.view.clicked.connect(self._on_clicked)
        self.view.selectionModel().currentChanged.connect(lambda *_: self._say())
        self._all = _actions(context)
        self._fill()
        place = parent.mapToGlobal(QPoint((parent.width() - _SIZE[0]) // 2, _TOP))
        self.move(place)
        self.field.setFocus()
        TypeAhead(self, self.field)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.focusWindowChanged.connect(self._on_window_changed)

    def open(self) -> None:
        """Show it without blocking the window below, for Qt drops what is typed into a blocked one;
        it closes when that window is gone back to."""
        self.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        # Down is told by the field, which takes it.
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_current()
        elif key in steps:
            self._step(steps[Qt.Key(key)])
        else:
            super().keyPressEvent(event)

    def run_current(self) -> None:
        """Close and do what is marked; once the APIs are found where they may come before it."""
        row = self.view.currentIndex().row()
        if self._is_finding and not self._is_marked and not self._is_certain:
            self._is_wanted = True
            return
        if not 0 <= row < len(self._choices):
            return
        choice = self._choices[row]
        if choice.why_not:
            self._say()
            return
        self.accept()
        choice.run(self.context)

    @property
    def _is_certain(self) -> bool:
        """Whether no API that may still be found comes before the first row."""
        text = self.field.text().strip().casefold()
        first = self._choices[0] if self._choices else None
        return first is not None and (first.is_called(text.split()) or first.is_named(text))

    def _on_clicked(self) -> None:
        self._is_marked = True
        self.run_current()

    def _on_window_changed(self, window: QWindow | None) -> None:
        below = self.parentWidget()
        if window is self.windowHandle():
            self._has_opened = True
        elif self._has_opened and below is not None and window is below.window().windowHandle():
            self.reject()

    def _step(self, by: int) -> None:
        self._is_marked, self._is_wanted = True, False
        last = self.model.rowCount() - 1
        row = min(max(self.view.currentIndex().row() + by, 0), last)
        if last >= 0:
            self.view.setCurrentIndex(self.model.index(row, 0))

    def _fill(self) -> None:
        text = self.field.text().strip()
        self._asked += 1
        self._is_marked = self._is_wanted = False
        scored = [
            (score, choice)
            for choice in self._all
            if (score := fuzzy_score(text, choice.asked or choice.title)) is not None
        ]
        words = text.casefold().split()
        scored.sort(key=lambda one: (not one[1].is_called(words), bool(one[1].why_not), -one[0]))
        found = [choice for _, choice in scored[: _ACTIONS if text else len(scored)]]
        first = [c for c in found if not words or c.is_called(words) or c.is_meant(words)]
        last = [choice for choice in found if choice not in first]
        names = self._toolkits(text) if text else []
        self._names_end = len(first) + len(names)
        self._choices = [*first, *names, *last]
        self._put_exact_first(text)
        workspace = self.context.workspace
        self._is_finding = bool(text) and workspace is not None
        self._show(text)
        if text and workspace is not None:
            self.context.tasks.spawn(self._find_apis(workspace, text, self._asked), owner=self)

    def _put_exact_first(self, text: str) -> None:
        self._choices.sort(key=lambda one: not (one.is_called(text.split()) or one.is_named(text)))

    def _toolkits(self, text: str) -> list[_Choice]:
        colours = self.context.colours
        found = self.context.catalogue.named(text)
        return [
            _Choice(
                title=one_line(toolkit.name),
                right=counted(toolkit.size, "API"),
                run=lambda context, t=toolkit.id: context.selection.select_toolkit(t),
                icon=None
                if toolkit.id not in colours
                else lambda c=colours[toolkit.id]: colour_swatch(c),
            )
            for toolkit in found[:_TOOLKITS]
        ]

    async def _find_apis(self, workspace: Workspace, text: str, number: int) -> None:
        folded = text.casefold()

        def read() -> list[tuple[int, str]]:
            rowids = rowids_with_words(workspace, text.split())[:_READ_APIS].tolist()
            titles = titles_by_rowid(workspace.reader(), rowids)
            found = [(rowid, titles[rowid]) for rowid in rowids if rowid in titles]
            found.sort(key=lambda one: folded not in _own_names(one[1]))
            return found[:_APIS]

        try:
            found = await self.context.tasks.in_thread(read)
        except Exception:
            if number == self._asked:
                self._take_apis(text, ())
            raise
        if number == self._asked:
            self._take_apis(text, found)

    def _take_apis(self, text: str, found: Sequence[tuple[int, str]]) -> None:
        self._is_finding = False
        marked = self._choices[self.view.currentIndex().row()] if self._is_marked else None
        at = self._names_end
        self._choices[at:at] = [
            _Choice(
                title=one_line(title),
                right="API",
                run=lambda context, r=rowid: context.selection.select_apis([r]),
            )
            for rowid, title in found
        ]
        self._put_exact_first(text)
        self._show(text, row=0 if marked is None else self._choices.index(marked))
        if self._is_wanted:
            self.run_current()

    def _show(self, text: str, *, row: int = 0) -> None:
        self._delegate.set_words(text.split())
        self.model.set_rows(
            [
                Row(
                    cells=(choice.title, "not now" if choice.why_not else choice.right),
                    key=place,
                    icon=choice.icon or blank,
                    tooltip=f"{choice.title}\n{choice.why_not}".strip(),
                )
                for place, choice in enumerate(self._choices)
            ]
        )
        if self._choices:
            self.view.setCurrentIndex(self.model.index(max(0, row), 0))
        self._say()

    def _say(self) -> None:
        row = self.view.currentIndex().row()
        if not self._choices:
            nothing = f"Nothing fits “{one_line(self.field.text(), 40)}”."
            self.note.setText("Looking among the APIs" if self._is_finding else nothing)
        elif 0 <= row < len(self._choices) and self._choices[row].why_not:
            self.note.setText(f"Not now: {self._choices[row].why_not}.")
        else:
            self.note.setText("Return does it · Up and Down choose · Escape closes")


def _actions(context: AppContext) -> Sequence[_Choice]:
    """All entries of all menus, those of submenus included."""
    found: list[_Choice] = []
    for menu in sorted(menus, key=lambda m: m.order):
        for entry in menu.entries:
            if isinstance(entry, Action):
                found.append(_choice(context, plain_title(menu.title), entry))
            elif isinstance(entry, Submenu):
                above = f"{plain_title(menu.title)}: {plain_title(entry.title)}"
                if not entry.is_enabled(context):
                    found.append(_Choice(title=above, right="", run=_nothing, why_not=_NO_SUBJECT))
                    continue
                found.extend(
                    _choice(context, above, below)
                    for below in entry.entries(context)
                    if isinstance(below, Action)
                )
    return [choice for choice in found if choice.title != "View: Command palette"]


def _choice(context: AppContext, above: str, action: Action) -> _Choice:
    why_not = action.why_not(context)
    if not why_not and not action.is_enabled(context):
        why_not = _NO_SUBJECT
    return _Choice(
        title=f"{above}: {plain_title(action.shown_title(context))}",
        asked=f"{above}: {plain_title(action.title)}" if action.title_now else "",
        changes=action.changes,
        right=keys_in_words(action.shortcuts[0][0]) if action.keys else "",
        run=action.run,
        why_not=why_not,
        icon=None if not action.icon else lambda: make_icon(action.icon),
    )


def _own_names(title: str) -> tuple[str, str]:
    """A whole title and, of the title of an API, its name alone; folded."""
    folded = title.casefold()
    return folded, folded.rpartition(" · ")[2]


def _nothing(_context: AppContext) -> None:
    """What a menu without entries does; the palette never runs it."""


PLUGIN = DialogPlugin.of(dialog_commands.command_palette, CommandPalette)
