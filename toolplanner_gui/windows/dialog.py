"""What a dialog is, the registry of dialogs, and what they have in common.

Whoever wants one asks for it by its command (`dialog_commands.py`):
`context.shell.open(dialog_commands.fork_run, run=run, path=path)`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Concatenate, ParamSpec

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QStyle,
    QWidget,
)

from toolplanner_core.registry import Registry
from toolplanner_gui.bridge.errors import Problem, describe
from toolplanner_gui.bridge.standard_dialogs import confirm
from toolplanner_gui.context import AppContext
from toolplanner_gui.dialog_commands import DialogCommand
from toolplanner_gui.panels.panel import explain_labels
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.widgets.banner import Banner
from toolplanner_gui.widgets.box_layouts import Part, add_to, column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.tab_order import first_field, put_last

P = ParamSpec("P")
_BELOW_BARS = 64
"""Height of the bars of the window, pixels."""


def show_problem(banner: Banner, problem: Problem, *, actions_of: QWidget) -> None:
    """Say a problem, with the menu entries that help as buttons."""
    found = (actions_of.findChild(QAction, name) for name in problem.offered)
    offered = [action for action in found if isinstance(action, QAction)]
    banner.show_problem(
        problem.what,
        why=problem.why,
        todo=problem.todo,
        details=problem.details,
        offered=offered,
    )


class Dialog(QDialog):
    """Never opened with a nested loop; gone when it, or the workspace, is closed.

    Attributes:
        asks_to_drop: Escape and Cancel ask before they drop what was typed.
    """

    asks_to_drop: ClassVar[bool] = False

    def __init__(self, context: AppContext, parent: QWidget, title: str) -> None:
        super().__init__(parent)
        self.context = context
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        context.workspace_closing.connect(self.on_workspace_closing)
        self.banner = Banner(self)
        self.column = column_of(of=self, margins=(EDGE, EDGE, EDGE, EDGE), gap=GAP)
        self._last: tuple[QPushButton, ...] = ()

    def showEvent(self, event: QShowEvent) -> None:
        """No larger than the screen, so that its buttons can be reached; the keyboard begins in the
        first field, never on the button that drops what is asked."""
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
        room = self.screen().availableGeometry().size()
        self.resize(self.size().boundedTo(room - QSize(0, bar)))
        explain_labels(self)
        self.begin()
        super().showEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """F1 opens the guide beside it: the keys of the window do not work while it asks."""
        if event.matches(QKeySequence.StandardKey.HelpContents):
            guide = dialogs.get("guide").make(self.context, self, about=self.objectName())
            assert guide is not None
            guide.show()
        else:
            super().keyPressEvent(event)

    def begin(self) -> None:
        """Put the keyboard where one begins; whoever makes its fields later calls it again."""
        put_last(self, *self._last)
        if self.focusWidget() not in (None, *self._last):
            return
        buttons = [button for button in self.findChildren(QPushButton) if button.isEnabled()]
        default = next((button for button in buttons if button.isDefault()), None)
        # One that still reads what it asks about begins when it has read it.
        closing = self._last[0] if len(self._last) == 1 else None
        begin = first_field(self) or default or closing
        if begin is not None:
            begin.setFocus(Qt.FocusReason.TabFocusReason)

    def on_workspace_closing(self) -> None:
        """Close, for what it is about goes away."""
        self._drop()

    @property
    def has_typed(self) -> bool:
        """Whether a person has typed something that is not stored."""
        lines = any(line.isModified() for line in self.findChildren(QLineEdit))
        return lines or any(
            text.document().isModified() and not text.isReadOnly()
            for text in self.findChildren(QPlainTextEdit)
        )

    def reject(self) -> None:
        """Close it; what was typed is asked about where it is worth it."""
        if not (self.asks_to_drop and self.has_typed):
            self._drop()
        elif not self.context.tasks.runs_for(self):
            self.context.tasks.spawn(self._ask_to_drop(), owner=self)

    def _drop(self) -> None:
        super().reject()

    async def _ask_to_drop(self) -> None:
        why = "It is not stored."
        if await confirm(self, "Drop what you have typed?", why=why, yes="Drop"):
            self._drop()

    def add(self, *parts: Part) -> None:
        """Put parts below those that are there."""
        add_to(self.column, *parts)

    def paragraph(self, text: str = "", *, role: str = "") -> QLabel:
        """Put a text below what is there, as wide as the dialog."""
        label = text_label(text, role=role, is_wrapped=True)
        self.add(label)
        return label

    def add_buttons(self, primary: QPushButton | None, close: str = "Cancel") -> QPushButton:
        """The last row: close, and the one thing the dialog is for. Returns the close button."""
        row = row_of(1, gap=GAP)
        closing = push_button(close, self.reject)
        row.addWidget(closing)
        if primary is not None:
            primary.setDefault(True)
            row.addWidget(primary)
        self._last = (closing,) if primary is None else (closing, primary)
        self.column.addLayout(row)
        return closing

    def move_to_right_edge(self) -> None:
        """Open at the right edge of the window, where it covers least of the map."""
        parent = self.parentWidget()
        if parent is not None:
            around = parent.window().geometry()
            left = around.right() - self.width() - EDGE
            self.move(max(left, around.left()), around.top() + _BELOW_BARS)

    def show_error(self, error: BaseException, *, doing: str = "") -> None:
        """Say in place what went wrong."""
        window = self.context.shell.window_widget
        show_problem(self.banner, describe(error, doing=doing), actions_of=window)


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogPlugin:
    """A dialog.

    Attributes:
        make: builds it from context, parent and what `Shell.open` was given; None where there is
            nothing to ask.
        is_beside: it is read beside the map and blocks nothing.
    """

    id: str
    make: Callable[..., QDialog | None]
    is_beside: bool = False

    @property
    def title(self) -> str:
        """Name for people, as all plug-ins have one."""
        return self.id.replace("_", " ").capitalize()

    @classmethod
    def of(
        cls,
        command: DialogCommand[P],
        make: Callable[Concatenate[AppContext, QWidget, P], QDialog | None],
        *,
        is_beside: bool = False,
    ) -> "DialogPlugin":
        """The dialog of a command: `make` takes the arguments of the command."""
        return cls(id=command.id, make=make, is_beside=is_beside)


dialogs = Registry(DialogPlugin, package="toolplanner_gui.windows", kind="dialogs", what="dialog")
