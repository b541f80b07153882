"""What a menu entry is, and the registry of menus: one file per menu, found by a walk."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass

from toolplanner_core.registry import Registry
from toolplanner_gui.context import AppContext

Run = Callable[[AppContext], object]


def to_panel(panel: str, method: str) -> Run:
    """Show a panel and do one of the things it can do."""
    return lambda context: context.shell.call_panel(panel, method)


def to_dialog(dialog: str) -> Run:
    """Open a dialog."""
    return lambda context: context.shell.open(dialog)


def _always(_context: AppContext) -> bool:
    return True


def _nothing_against_it(_context: AppContext) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Action:
    """A menu entry, a row of a table: id, text, key, icon, what it does and why not.

    Attributes:
        id: stable name, such as "file.open".
        keys: in Qt's portable form, "" for none; Ctrl is Cmd on macOS. "M@curate" works in that
            layout only: single letters mean something else in others.
        also: a second shortcut that people know from elsewhere, "" for none.
        enabled_when: asked whenever the state of the program changes.
        refused_when: the same, but says in a sentence why not; "" = it can be done.
        title_now: the title at the moment, such as "Undo: Merge …"; `title` is for lists.
        is_anytime: also without an open workspace; all else asks it and is disabled there.
        checked_when: makes it a checkable entry.
        role: "quit", "about" or "" (macOS puts those into the menu of the program).
    """

    id: str
    title: str
    keys: str
    icon: str
    run: Run
    refused_when: Callable[[AppContext], str] = _nothing_against_it
    _: KW_ONLY
    also: str = ""
    enabled_when: Callable[[AppContext], bool] = _always
    checked_when: Callable[[AppContext], bool] | None = None
    role: str = ""
    title_now: Callable[[AppContext], str] | None = None
    is_anytime: bool = False

    @property
    def shortcut(self) -> str:
        """The keys without the layout."""
        return self.keys.partition("@")[0]

    @property
    def layout(self) -> str:
        """The layout in which the keys work, "" = everywhere."""
        return self.keys.partition("@")[2]

    def can_be_asked(self, context: AppContext) -> bool:
        """Whether the functions above have something to look at."""
        return self.is_anytime or context.opened is not None

    def is_enabled(self, context: AppContext) -> bool:
        """Whether it can be done now."""
        return (
            self.can_be_asked(context)
            and self.enabled_when(context)
            and not self.refused_when(context)
        )

    def shown_title(self, context: AppContext) -> str:
        """The title at the moment."""
        is_told = self.title_now is not None and self.can_be_asked(context)
        return self.title_now(context) if self.title_now and is_told else self.title


@dataclass(frozen=True, slots=True)
class Submenu:
    """A menu whose entries are made when it is opened."""

    id: str
    title: str
    entries: Callable[[AppContext], Sequence[Action]]
    _: KW_ONLY
    enabled_when: Callable[[AppContext], bool] = _always
    is_anytime: bool = False

    def is_enabled(self, context: AppContext) -> bool:
        """Whether it has entries now."""
        return (self.is_anytime or context.opened is not None) and self.enabled_when(context)


@dataclass(frozen=True, slots=True)
class Separator:
    """A line between entries."""


Entry = Action | Submenu | Separator


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
