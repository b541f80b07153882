"""Who calls what: the provider of each source, servers in private networks, keys, standing leave.

What is chosen for a source belongs to the workspace; keys, allowed origins and leave belong to the
person and stand in no workspace. The values of keys are never shown.
"""

import asyncio
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLineEdit, QTabWidget, QWidget

from toolplanner_core.domain.origin import Origin
from toolplanner_core.errors import UserError
from toolplanner_core.keys import ANY_SCHEME, KeyName, Where, person_keys
from toolplanner_core.net.allowed import allow_origin, allowed_origins, forbid_origin
from toolplanner_core.providers.routes import routes_of
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.boxes import Part, level, page_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import scrolled
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin
from toolplanner_gui.windows.leave_page import LeavePage
from toolplanner_gui.windows.name_list import NameList
from toolplanner_gui.windows.route_row import RouteRow

_SIZE = (760, 560)
_SOURCES = "Who calls the tools of each source of this workspace, and where."
_SERVERS = "Servers on this machine or in private networks are called only if they stand here."
_SIGN_IN = "For an MCP server over HTTP: write its whole address into the first field"
_KEYS = "Each key is sent to its origin and nowhere else; its value is never shown."


class ProvidersDialog(Dialog):
    """Each change counts at once."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Providers, servers and keys")
        self.resize(*_SIZE)
        self.add(self.banner)
        self.outcome = text_label(role="dim", is_wrapped=True)
        self.outcome.setTextFormat(Qt.TextFormat.PlainText)
        self.rows: dict[str, RouteRow] = {}
        rows = QFormLayout()
        for route in routes_of(context.file):
            self.rows[route.source] = row = RouteRow(context, route, self.attempt)
            row.told.connect(self.outcome.setText)
            label = text_label(route.source)
            level(label, row)
            rows.addRow(label, row)
        if not self.rows:
            rows.addRow(text_label("There are no sources yet.", role="dim"))
        self.origins = NameList("Allowed origins", ("Origin",))
        self.origin_field = named(QLineEdit(), "Origin to allow")
        self.origin_field.setPlaceholderText("http://localhost:8080")
        self.allow_button = push_button("Allow", self._allow)
        self.forbid_button = push_button("Forbid", self._forbid)
        self.keys = NameList("Keys", ("Origin", "Scheme", "Where"))
        self.key_origin = named(QLineEdit(), "Origin of the key")
        self.key_origin.setPlaceholderText("https://api.example.com")
        self.key_scheme = named(QLineEdit(), "Scheme of the key")
        self.key_scheme.setPlaceholderText("any scheme")
        self.key_value = named(QLineEdit(), "Key")
        self.key_value.setEchoMode(QLineEdit.EchoMode.Password)
        self.key_value.setPlaceholderText("key, user:password or id:secret")
        self.save_button = push_button("Save", self._save_key)
        self.delete_button = push_button("Delete", self._delete_key)
        self.sign_in_button = push_button("Sign in …", self._sign_in, tip=_SIGN_IN)
        self.leave = LeavePage(self.attempt)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self._add_page("Sources", _SOURCES, rows, 1)
        self._add_page(
            "Servers",
            _SERVERS,
            (self.origins, 1),
            row_of((self.origin_field, 1), self.allow_button, self.forbid_button, gap=SPACE),
        )
        self._add_page(
            "Keys",
            _KEYS,
            (self.keys, 1),
            row_of((self.key_origin, 2), (self.key_scheme, 1), (self.key_value, 2), gap=SPACE),
            row_of(self.sign_in_button, 1, self.save_button, self.delete_button, gap=SPACE),
        )
        self.tabs.addTab(self.leave, "Leave")
        self.add((self.tabs, 1), self.outcome)
        self.add_buttons(None, "Close")
        for button in (
            self.allow_button, self.forbid_button, self.save_button, self.delete_button,
            self.sign_in_button,
        ):  # fmt: skip
            button.setAutoDefault(False)
        self._refresh()

    def _add_page(self, title: str, why: str, *parts: Part) -> None:
        page = page_of(
            text_label(why, role="dim", is_wrapped=True),
            *parts,
            margins=(GAP, GAP, GAP, GAP),
            gap=GAP,
        )
        self.tabs.addTab(scrolled(page) if title == "Sources" else page, title)

    def attempt(self, work: Callable[[], str]) -> None:
        """Do something at once and say what was done, or why it cannot be."""
        self.banner.hide()
        try:
            self.outcome.setText(work())
        except UserError as error:
            self.show_error(error)
        self._refresh()

    def _refresh(self) -> None:
        self.origins.fill([((str(origin),), origin) for origin in sorted(allowed_origins())])
        self.keys.fill(
            [((str(n.origin), n.scheme, where), n) for n, where in person_keys().names().items()]
        )
        try:
            self.leave.refresh()
        except UserError as error:
            self.show_error(error)

    def _allow(self) -> None:
        def work() -> str:
            origin = Origin.of(self.origin_field.text())
            allow_origin(origin)
            self.origin_field.clear()
            return f"{origin} may be called, wherever it is."

        self.attempt(work)

    def _forbid(self) -> None:
        def work() -> str:
            for origin in self.origins.selected:
                forbid_origin(origin)
            return ""

        self.attempt(work)

    def _save_key(self) -> None:
        def work() -> str:
            scheme = self.key_scheme.text().strip() or ANY_SCHEME
            name = KeyName(Origin.of(self.key_origin.text()), scheme)
            where = person_keys().save(name, self.key_value.text().strip())
            self.key_value.clear()
            if where is Where.SESSION:
                return f"{name.origin}: kept until the program ends, since there is no keychain."
            return f"{name.origin}: saved in the keychain."

        self.attempt(work)

    def _sign_in(self) -> None:
        url = self.key_origin.text().strip()

        def work() -> str:
            Origin.of(url)
            self.context.tasks.spawn(self._signing_in(url), owner=self)
            return "A page of the server opens in your browser …"

        self.attempt(work)

    async def _signing_in(self, url: str) -> None:
        def work() -> str:
            from toolplanner_core.mcp_servers.failures import McpFailure
            from toolplanner_core.mcp_servers.signing_in import sign_in
            from toolplanner_core.mcp_servers.spec import ServerSpec

            try:
                asyncio.run(sign_in(ServerSpec(name=url, url=url)))
            except McpFailure as failure:
                return f"You are not signed in: {failure.message}."
            return f"Signed in at {url}."

        said = await self.context.tasks.in_thread(work)
        self.attempt(lambda: said)

    def _delete_key(self) -> None:
        def work() -> str:
            for name in self.keys.selected:
                person_keys().delete(name)
            return ""

        self.attempt(work)


PLUGIN = DialogPlugin(id="providers", make=ProvidersDialog, is_beside=True)
