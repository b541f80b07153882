"""Asks before servers of tools are started or reached: their exact commands, as plain text.

Shown in the import dialog, in place of the preview that cannot be made without them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from toolplanner_core.words.formatting import counted
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named, text_label

if TYPE_CHECKING:
    from toolplanner_core.mcp_servers.consent import Startable


class ServerConsent(QWidget):
    """Shows what would be started; keeps the person's yes, for exactly that."""

    allowed = Signal()
    """They may be started now."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self._specs: Sequence[Startable] = ()
        self._title = text_label(role="section", is_wrapped=True)
        why = text_label(
            "A program can do here all that you can do; a server that is reached learns what is"
            " sent to it. Allow only what you know. Your yes counts for exactly these lines, on"
            " this machine, until you take it back in Run > Providers and keys.",
            role="dim",
            is_wrapped=True,
        )
        self.commands = named(QPlainTextEdit(), "What would be started or reached")
        self.commands.setReadOnly(True)
        self.commands.setProperty("role", "code")
        self.allow_button = push_button("Allow and look inside", self._on_allow)
        self.allow_button.setAutoDefault(False)
        buttons = row_of(self.allow_button, 1, gap=GAP)
        column_of(self._title, why, (self.commands, 1), buttons, of=self, gap=GAP)
        self.hide()

    def ask(self, specs: "Sequence[Startable]") -> None:
        """Show servers that nobody has allowed yet."""
        self._specs = specs
        servers = counted(len(specs), "server")
        self._title.setText(f"{servers} would be started or reached to see what there is")
        self.commands.setPlainText("\n".join(f"{one.name}\n    {one.in_words}" for one in specs))
        self.allow_button.setEnabled(True)
        self.show()

    def _on_allow(self) -> None:
        specs = self._specs
        self.allow_button.setEnabled(False)

        def keep() -> None:
            from toolplanner_core.mcp_servers.consent import allow

            for spec in specs:
                allow(spec)

        async def flow() -> None:
            await self._context.tasks.in_thread(keep)
            self.hide()
            self.allowed.emit()

        self._context.tasks.spawn(flow(), owner=self)
