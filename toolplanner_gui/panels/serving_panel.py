"""The gateway of this window: its switch, the clients, what they ask for, and what waits for a yes.

Return or a double click on a line opens its run at that call. Calls of agents that wait for a
person stand on top, those of gateways in other processes, too.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QActionGroup, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QMenu, QSplitter, QToolButton, QWidget

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.errors import UserError
from toolplanner_core.runs.presentation.states import NODE_LOOKS
from toolplanner_core.serving.profile import ServingMode, ServingProfile
from toolplanner_core.serving.served_lines import ServedLine
from toolplanner_core.words.formatting import counted, duration, when
from toolplanner_gui.bridge.standard_dialogs import confirm
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.panels.served_faults import ServedFaults
from toolplanner_gui.panels.waiting_calls import WaitingCalls
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.debug.served_clients import ServedClient, newest_lines
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel, plain_tooltip
from toolplanner_gui.widgets.box_layouts import column_of, page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import ElidedLabel, text_label
from toolplanner_gui.widgets.views import QuietTree

_LINE_TITLES = ("Asked for", "Client", "State", "Time", "What came of it", "When")
_CLIENT_TITLES = ("Client", "State", "Calls", "Last error")
_ROOM_FOR_CLIENTS, _ROOM_FOR_WHEN = 820, 700
"""Pixels of the panel from which clients have a table, of that of calls from which it has days."""
_ROOM_FOR_ERRORS = 380
"""Pixels of the table of clients from which it has their last errors, which its tooltips say."""
_ROOM_FOR_BOTH = 300
"""Pixels of height from which a call that waits leaves room for others."""
_ROOM_FOR_WHO = 220
"""Pixels of height from which clients have a line; below, calls alone name them."""
_TOGETHER_MS = 100
"""Between two looks at what is asked for: agents may ask much."""
_RENEW_MS = 60_000
"""Between two looks at how long clients have been quiet."""
_QUIET_S = 120.0
"""Of a client that has asked for nothing so long it is said since when: it may have gone."""
_PORT, _CHANGES, _MADE_UP = "served_port", "serves_changes", "serves_made_up"
_MODE = "served_mode"
"""What is kept of a workspace."""
_STEPS = (
    "Start serving: agents on this machine may then search and call what you have curated.",
    "Copy the configuration for your agent's program, and paste it there.",
    "Ask the agent for something. Each of its calls is listed here, and its session is a run that"
    " you can break, step and make fail.",
)
_MODES = {
    ServingMode.AUTO: "By their number",
    ServingMode.FLAT: "Each API as a tool",
    ServingMode.TOOLKITS: "Each toolkit as a tool",
    ServingMode.SEARCH: "A few tools that find and call all",
}
_SHORTER = (
    "Under What is served a few tools can find and call all; the menu of toolkits says which are"
    " served."
)
_WHY = (
    "Programs of this machine that have your token may then search and call the tools of this"
    " workspace; programs elsewhere cannot reach it. It ends when you stop it or close the"
    " workspace. You are asked once for each port."
)


class ServingPanel(Panel):
    """The switch above, then what waits, then clients beside their calls."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.serving = context.serving
        self.switch = push_button("Start serving", self.toggle, role="primary")
        self.address = text_label(is_selectable=True, name="Address of the gateway")
        self.says = ElidedLabel(role="dim")
        self.what = _menu_button("What is served", "tune-variant", self._fill_what)
        self.copy = _menu_button("Copy configuration", "content-copy", self._fill_copy)
        self.who_left = _menu_button("Clients", "robot-outline", self._fill_clients)
        self._shows_gone = True
        self.faults = ServedFaults(context)
        self.waiting = WaitingCalls(context)
        self.clients = TableModel(_CLIENT_TITLES, self, numbers=(2,))
        self.clients_view = QuietTree("Clients of the gateway", is_flat=True)
        self.clients_view.set_model(self.clients, {1: 100, 2: 48}, shares={3: 0.3})
        self.clients_view.show_from(3, _ROOM_FOR_ERRORS)
        self.who = ElidedLabel(role="dim")
        self.lines = TableModel(_LINE_TITLES, self, numbers=(3, 5))
        self.lines_view = QuietTree("What agents asked for, newest first", is_flat=True)
        self.lines_view.set_model(self.lines, {2: 84, 3: 76, 5: 60}, shares={1: 0.18, 4: 0.28})
        self.lines_view.show_from(5, _ROOM_FOR_WHEN)
        self.lines_view.activated.connect(lambda index: self._open(*index.data(KEY_ROLE)))
        self.pages = pages_of(self._steps(), self._tables())
        row = row_of(self.switch, self.address, (self.says, 1), gap=GAP)
        parts = (row, self.faults, (self.waiting, 1), self.who, (self.pages, 3))
        column_of(*parts, of=self, margins=(EDGE, GAP, EDGE, SPACE), gap=GAP)
        self._sized: ServingProfile | None = None
        self._size, self._warning = "Nobody is served.", ""
        self._together = QTimer(self, singleShot=True, interval=_TOGETHER_MS)
        self._together.timeout.connect(self.mark_outdated)
        self._minutes = QTimer(self, interval=_RENEW_MS)
        self._minutes.timeout.connect(self.mark_outdated)
        self._minutes.start()
        self.serving.changed.connect(self.mark_outdated)
        self.serving.lines_changed.connect(self._on_lines_changed)
        self.serving.waiting_changed.connect(self._show_waiting)
        self._show_waiting()
        self.renew()

    def buttons(self) -> Sequence[QToolButton]:
        return (self.who_left, self.what, self.copy)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Where it is narrow clients stand in a line; where it is low a call that waits is all."""
        is_wide, has_clients = self.width() >= _ROOM_FOR_CLIENTS, bool(self.serving.clients)
        has_room = self.height() >= _ROOM_FOR_BOTH or not self.serving.waiting
        self.clients_view.setVisible(is_wide)
        has_line = self.height() >= _ROOM_FOR_WHO
        self.who.setVisible(has_clients and not is_wide and has_room and has_line)
        self.pages.setVisible(has_room)

    @property
    def is_idle(self) -> bool:
        return super().is_idle and not self._together.isActive() and not self.serving.is_starting

    def toggle(self) -> None:
        """Start serving, or stop."""
        if self.serving.is_on:
            self.serving.stop()
        else:
            self.context.tasks.spawn(self._start(), owner=self)

    def focus_list(self) -> None:
        """Put the keyboard into what agents asked for, or on the switch while nobody did."""
        (self.lines_view if self.lines.rowCount() else self.switch).setFocus()

    def decide(self) -> None:
        """Put the keyboard where the call that has waited longest is decided."""
        self.waiting.focus_first()

    def renew(self) -> None:
        serving, at = self.serving, self.serving.at
        self.switch.setText("Stop serving" if serving.is_on else "Start serving")
        self.switch.setEnabled(not serving.is_starting)
        self.what.setEnabled(not serving.is_on)
        self.what.setToolTip("Stop serving to change it" if serving.is_on else "What is served")
        self.address.setText("" if at is None else at.address)
        self.address.setVisible(at is not None)
        if at is not None:
            size = f"{counted(at.tools, 'tool')}, about {counted(at.tokens, 'token')} of context"
            self._say(f"{at.mode} · {size}", at.warning)
        else:
            self._say("Starting …" if serving.is_starting else self._size, self._warning)
            self.context.tasks.spawn(self._look_at_size(), owner=self)
        gone = list(serving.gone) if self._shows_gone else []
        lines = newest_lines([*serving.clients, *gone])
        self.clients.set_rows([_client_row(client) for client in (*serving.clients, *gone)])
        self.lines.set_rows([_line_row(line) for line in lines])
        self.pages.setCurrentIndex(1 if self.clients.rowCount() or lines else 0)
        who = (f"{client.name}: {counted(client.calls, 'call')}" for client in serving.clients)
        self.who.set_text("  ·  ".join(who))
        self._fit()

    def _say(self, what: str, warning: str) -> None:
        """Where it is narrow, the warning is what stays."""
        self.says.set_text(what, tail=f" · {warning}" if warning else "")
        if warning:
            self.says.setToolTip(plain_tooltip(f"{self.says.text()}.\n{_SHORTER}"))

    async def _look_at_size(self) -> None:
        """Say what would be served, as long as nobody is."""
        profile = self._profile()
        if profile == self._sized:
            return
        self._sized = profile
        try:
            size = await self.serving.size_of(profile)
        except UserError as error:
            said, warning = error.sentence, ""
        else:
            much = f"{counted(size.tools, 'tool')}, about {counted(size.tokens, 'token')}"
            said = f"Nobody is served. Would be: {size.mode} · {much}"
            warning = size.warning
        if profile == self._sized:
            self._size, self._warning = said, warning
            self.mark_outdated()

    def _steps(self) -> QWidget:
        steps = [text_label(f"{n}.  {step}", is_wrapped=True) for n, step in enumerate(_STEPS, 1)]
        return page_of(1, *steps, 2, margins=(EDGE, 0, EDGE, 0), gap=GAP)

    def _tables(self) -> QSplitter:
        sides = QSplitter(Qt.Orientation.Horizontal)
        sides.setChildrenCollapsible(False)
        for view, share in ((self.clients_view, 2), (self.lines_view, 5)):
            sides.addWidget(view)
            sides.setStretchFactor(sides.count() - 1, share)
        return sides

    def _on_lines_changed(self) -> None:
        if not self._together.isActive():
            self._together.start()

    def _show_waiting(self) -> None:
        self.waiting.show_calls(self.serving.waiting)
        self._fit()

    async def _start(self) -> None:
        view = self.context.view
        port = int(view.text(_PORT) or 0) or await self.context.tasks.in_thread(_free_port)
        if view.text(_PORT) != str(port):
            question = f"Let agents use “{self.context.file.path.name}” at port {port}?"
            parent = self.context.shell.window_widget
            if not await confirm(parent, question, why=_WHY, yes="Start serving"):
                return
            view.put(_PORT, str(port))
        self.serving.start(self._profile(), port=port)

    def _fill_clients(self, menu: QMenu) -> None:
        gone = len(self.serving.gone)
        shows = menu.addAction(f"Show those that have left ({gone})")
        shows.setCheckable(True)
        shows.setChecked(self._shows_gone)
        shows.toggled.connect(self._show_gone)
        forget = menu.addAction("Forget those that have left")
        forget.setEnabled(bool(gone))
        forget.triggered.connect(self.serving.forget_gone)

    def _show_gone(self, is_wanted: bool) -> None:
        self._shows_gone = is_wanted
        self.mark_outdated()

    def _fill_what(self, menu: QMenu) -> None:
        choices = {
            _CHANGES: "Calls that change something; each waits for your yes",
            _MADE_UP: "Replies that a provider makes up; each is marked",
        }
        reads = menu.addAction("Calls that only read")
        reads.setCheckable(True)
        reads.setChecked(True)
        reads.setEnabled(False)
        modes = menu.addMenu("How tools are listed")
        group, taken = QActionGroup(modes), self._profile().mode
        for mode, title in _MODES.items():
            entry = modes.addAction(title)
            entry.setCheckable(True)
            entry.setChecked(mode is taken)
            entry.triggered.connect(partial(self._keep_mode, mode))
            group.addAction(entry)
        menu.addSeparator()
        for name, title in choices.items():
            entry = menu.addAction(title)
            entry.setCheckable(True)
            entry.setChecked(bool(self.context.view.text(name)))
            entry.toggled.connect(partial(self._keep, name))

    def _keep(self, name: str, is_on: bool) -> None:
        self.context.view.put(name, "yes" if is_on else "")
        self.mark_outdated()

    def _keep_mode(self, mode: ServingMode, _is_checked: bool = False) -> None:
        self.context.view.put(_MODE, mode)
        self.mark_outdated()

    def _fill_copy(self, menu: QMenu) -> None:
        from toolplanner_core.serving.client_config import (
            GatewayAddress,
            clients,
            gateway_command,
            profile_flags,
        )

        command = gateway_command(self.context.file.path, profile_flags(self._profile()))
        for plugin in clients:
            copied = partial(self._copy, plugin.write(command), plugin.title, plugin.place)
            menu.addAction(plugin.title).triggered.connect(copied)
        at = self.serving.at
        by_address = menu.addMenu("By the address, with the token")
        by_address.setEnabled(at is not None)
        for plugin in clients:
            if at is not None and plugin.write_address is not None:
                text = plugin.write_address(GatewayAddress(url=at.address))
                copied = partial(self._copy, text, plugin.title, plugin.place)
                by_address.addAction(plugin.title).triggered.connect(copied)
        by_address.addSeparator()
        by_address.addAction("The token").triggered.connect(self._copy_token)

    def _profile(self) -> ServingProfile:
        view, mode = self.context.view, self.context.view.text(_MODE)
        return replace(
            self.serving.kept or ServingProfile(),
            follows=True,
            mode=ServingMode(mode) if mode in set(ServingMode) else ServingMode.AUTO,
            allows_changes=bool(view.text(_CHANGES)),
            allows_made_up=bool(view.text(_MADE_UP)),
        )

    def _copy(self, text: str, title: str, place: str, _is_checked: bool = False) -> None:
        QGuiApplication.clipboard().setText(text)
        self.context.show_message(f"Copied for {title}. It belongs into: {place}")

    def _copy_token(self) -> None:
        from toolplanner_core.serving.guard import TOKEN_VARIABLE, gateway_token

        QGuiApplication.clipboard().setText(gateway_token())
        self.context.show_message(f"Copied. Give it to the program as {TOKEN_VARIABLE}")

    def _open(self, run: RunId | None, path: NodePath | None) -> None:
        if run is None or path is None:
            self.context.show_message("A search before the first call stands in no run yet")
            return

        async def flow() -> None:
            await self.context.run_view.shown(run)
            self.context.run_view.select_node(path)

        self.context.tasks.spawn(flow(), owner=self)


def _menu_button(title: str, icon: str, fill: Callable[[QMenu], None]) -> QToolButton:
    """A button whose menu is made when it is opened."""
    button = QToolButton()
    button.setText(f" {title}")
    button.setToolTip(title)
    button.setAutoRaise(True)
    button.setIcon(make_icon(icon, "dim"))
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    menu = QMenu(button)
    menu.aboutToShow.connect(lambda: (menu.clear(), fill(menu)))
    button.setMenu(menu)
    return button


def _client_row(client: ServedClient) -> Row:
    icon, state = "robot-outline", "here"
    if client.left_s is not None:
        icon, state = "robot-off-outline", f"left {when(client.left_s)}"
    elif time.time() - client.asked_s >= _QUIET_S:
        state = f"quiet {when(client.asked_s, is_short=True)}"
    where = "" if client.is_here else "Served by another process"
    about = (client.name, state.capitalize(), f"Since {when(client.since_s)}", where)
    about = (*about, client.last_error)
    return Row(
        cells=(
            client.name if client.is_here else f"{client.name} (elsewhere)",
            state,
            f"{client.calls:,}",
            client.last_error,
        ),
        key=client.run,
        icon=lambda: make_icon(icon, "dim"),
        tooltip="\n".join(filter(None, about)),
    )


def _line_row(line: ServedLine) -> Row:
    look = NODE_LOOKS[line.state]
    icon, token = look.icon, look.token
    word = look.word
    if line.has_fallen_back and not line.is_search:
        icon, token, word = "arrow-u-left-bottom", "fell_back", "fell back"
    taken = "" if line.took_ns is None else duration(line.took_ns / 1e9)
    return Row(
        cells=(
            f"“{line.what}”" if line.is_search else line.what,
            line.client,
            word,
            taken,
            line.note,
            when(line.began_s, is_short=True),
        ),
        key=(line.run, line.path),
        icon=lambda: make_icon(icon, token),
        tooltip="\n".join(filter(None, (line.what, line.client, word, line.note))),
    )


def _free_port() -> int:
    from toolplanner_core.serving.faces.http import loopback_socket

    with loopback_socket(0) as listener:
        return int(listener.getsockname()[1])
