"""What a menu entry is, and the registry of menus: one file per menu, found by a walk."""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ParamSpec

from toolplanner_core.registry import Registry
from toolplanner_gui.context import AppContext
from toolplanner_gui.dialog_commands import DialogCommand
from toolplanner_gui.panel_commands import PanelCommand

P = ParamSpec("P")
Run = Callable[[AppContext], object]
Refused = Callable[[AppContext], str | bool]


def to_panel(command: PanelCommand[Any]) -> Run:
    """Show a panel and have it do something."""
    return lambda context: context.shell.call_panel(command)


def to_dialog(dialog: DialogCommand[P], *args: P.args, **kwargs: P.kwargs) -> Run:
    """Open a dialog."""
    return lambda context: context.shell.open(dialog, *args, **kwargs)


def anytime(_context: AppContext) -> bool:
    """Nothing is against it, not even that no workspace is open."""
    return False


def _nothing(_context: AppContext) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Action:
    """A menu entry: id, text, key, icon, what it does and why not.

    Attributes:
        id: stable name, such as "file.open".
        keys: in Qt's portable form, "" for none, several with spaces between; Ctrl is Cmd on macOS.
            "A@review" works in that layout only, "M@map" while the map of Curate has the keyboard:
            elsewhere single letters are typed.
        refused_when: asked whenever the state of the program changes: a sentence that says why it
            cannot be done, or True where none is needed; "" or False = it can. `anytime` for what
            needs no open workspace; all else is disabled without one, and not asked.
        changes: it changes what is curated, at once: the palette offers names before it.
        checked_when: makes it a checkable entry.
        role: "quit", "about" or "" (macOS puts those into the menu of the program).
        title_now: the title at the moment, such as "Undo: Merge …"; `title` is for lists.
    """

    id: str
    title: str
    keys: str
    icon: str
    run: Run
    refused_when: Refused = _nothing
    _: KW_ONLY
    changes: bool = False
    checked_when: Callable[[AppContext], bool] | None = None
    role: str = ""
    title_now: Callable[[AppContext], str] | None = None

    @property
    def shortcuts(self) -> list[tuple[str, str]]:
        """Each of the keys and where it works: a layout, "map", or "" for everywhere."""
        parted = (keys.partition("@") for keys in self.keys.split())
        return [(shortcut, place) for shortcut, _, place in parted]

    def can_be_asked(self, context: AppContext) -> bool:
        """Whether the functions above have something to look at."""
        return self.refused_when is anytime or context.opened is not None

    def is_enabled(self, context: AppContext) -> bool:
        """Whether it can be done now."""
        return self.can_be_asked(context) and not self.refused_when(context)

    def why_not(self, context: AppContext) -> str:
        """Why it cannot be done now, "" where it can or where nothing is to be said."""
        refused = self.can_be_asked(context) and self.refused_when(context)
        return refused if isinstance(refused, str) else ""

    def shown_title(self, context: AppContext) -> str:
        """The title at the moment."""
        is_told = self.title_now is not None and self.can_be_asked(context)
        return self.title_now(context) if self.title_now and is_told else self.title


@dataclass(frozen=True, slots=True)
class Submenu:
    """A menu whose entries are made when it is opened; `refused_when` as of an action."""

    title: str
    entries: Callable[[AppContext], Sequence[Action]]
    refused_when: Refused = _nothing
    is_anytime: bool = False

    def is_enabled(self, context: AppContext) -> bool:
        """Whether it has entries now."""
        return (self.is_anytime or context.opened is not None) and not self.refused_when(context)


@dataclass(frozen=True, slots=True)
class Separator:
    """A line between entries."""


Entry = Action | Submenu | Separator
Row = tuple[str, str, str, str, Run, *tuple[Refused, ...]]
"""The fields of an action, its id without the name of the menu."""


def rows(menu: str, *entries: Row | Entry, changes: Container[str] = ()) -> tuple[Entry, ...]:
    """The entries of a menu, most of them as rows of a table; `changes` names those that do."""
    return tuple(
        Action(f"{menu}.{entry[0]}", *entry[1:], changes=entry[0] in changes)
        if isinstance(entry, tuple)
        else entry
        for entry in entries
    )


def listed(name: str, found: Iterable[tuple[object, str, Run]]) -> list[Action]:
    """Entries of a submenu, without keys and icons: what tells them apart, title, what is done."""
    return [Action(f"{name}.{key}", title, "", "", run) for key, title, run in found]


@dataclass(frozen=True, slots=True)
class Menu:
    """A menu of the menu bar; `order` counts from the left."""

    id: str
    title: str
    order: int
    entries: tuple[Entry, ...]


menus = Registry(Menu, package="toolplanner_gui.actions", kind="menus", what="menu")


def all_actions() -> list[tuple[Menu, Action]]:
    """All fixed entries with their menus, in order: for the list of shortcuts and for tests."""
    return [
        (menu, entry)
        for menu in sorted(menus, key=lambda m: m.order)
        for entry in menu.entries
        if isinstance(entry, Action)
    ]
