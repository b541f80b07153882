"""Who calls what: the provider of each source, servers in private networks, keys, standing leave.

What a person has allowed or refused for good, and can take back; a page of the providers dialog. It
belongs to the person, on this machine: no workspace brings or keeps any of it.

What is chosen for a source belongs to the workspace; keys, allowed origins and leave belong to the
person and stand in no workspace. The values of keys are never shown.
"""

import asyncio
from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QFormLayout, QLineEdit, QTabWidget, QWidget

from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import UserError
from toolplanner_core.keys import ANY_SCHEME, KeyLocation, KeyName, person_keys
from toolplanner_core.net.addresses import allow_origin, allowed_origins, forbid_origin
from toolplanner_core.providers.provider import providers
from toolplanner_core.providers.routes import Route, check_server, origins_of, routes_of, set_route
from toolplanner_core.providers.standing_permissions import standing_permissions
from toolplanner_core.words.formatting import counted
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.box_layouts import Part, column_of, level, page_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import compact_spin_box, ignore_wheel, scrolled
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin
from toolplanner_gui.windows.removable_list import RemovableList

Attempt = Callable[[Callable[[], str]], None]
"""Does something at once and says what was done, or why it cannot be."""

_USUAL = ""


class RouteRow(QWidget):
    """Provider, base URL, rate and test of one source."""

    told = Signal(str)
    """What the test found."""

    def __init__(self, context: AppContext, route: Route, attempt: Attempt) -> None:
        super().__init__()
        self._context, self._source, self._attempt = context, route.source, attempt
        self.provider = named(ignore_wheel(QComboBox()), f"Provider of {route.source}")
        usual = "" if route.is_chosen else f" ({providers.title_of(route.provider)})"
        self.provider.addItem(f"As usual{usual}", _USUAL)
        for plugin in providers:
            self.provider.addItem(plugin.title, plugin.id)
        chosen = route.provider if route.is_chosen else _USUAL
        self.provider.setCurrentIndex(self.provider.findData(chosen))
        self.base_url = named(QLineEdit(route.base_url), f"Base URL of {route.source}")
        self.base_url.setPlaceholderText("base URL, if not the catalogue's")
        self.rate = named(ignore_wheel(QDoubleSpinBox()), f"Requests per second of {route.source}")
        compact_spin_box(self.rate)
        self.rate.setRange(0, 1000)
        self.rate.setDecimals(1)
        self.rate.setSpecialValueText("usual rate")
        self.rate.setSuffix(" / s")
        self.rate.setToolTip("Requests a second to each of its servers at most")
        self.rate.setValue(route.per_second or 0)
        self.test_button = push_button("Test", self._test, tip="Is there a server that answers?")
        self.test_button.setAutoDefault(False)
        row_of(
            (self.provider, 2), (self.base_url, 3), self.rate, self.test_button, of=self, gap=SPACE
        )
        self.provider.activated.connect(self._choose)
        self.base_url.editingFinished.connect(self._choose)
        self.rate.editingFinished.connect(self._choose)

    def _choose(self) -> None:
        file, source = self._context.file, self._source
        provider, base_url = str(self.provider.currentData()), self.base_url.text().strip()
        rate = self.rate.value()

        def work() -> str:
            set_route(file, source, provider=provider, base_url=base_url, per_second=rate)
            return ""

        self._attempt(work)

    def _test(self) -> None:
        tasks, file = self._context.tasks, self._context.file
        self.told.emit("Asking …")

        async def ask() -> None:
            def work() -> str:
                found = origins_of(file, self._source)
                return "\n".join(check_server(origin) for origin in found[:3]) or (
                    f"{self._source} names no server."
                )

            self.told.emit(await tasks.in_thread(work))

        tasks.spawn(ask(), owner=self)


_WHY = (
    "Calls that may change something ask first, and so do programs and servers before they are"
    " started or reached. What you answered for good stands here. It is yours, on this machine;"
    " no workspace brings or keeps any of it."
)
_NOTHING = "Nothing yet: you are asked each time."


class PermissionsPage(QWidget):
    """The list, and the button that takes back what is selected."""

    def __init__(self, attempt: Attempt) -> None:
        super().__init__()
        self._attempt = attempt
        self.list = RemovableList("Standing leave", ("What", "For", "Since"), {1: 250, 2: 110})
        self.nothing = text_label(_NOTHING, role="dim")
        self.revoke_button = push_button("Take back", self._revoke)
        self.revoke_button.setAutoDefault(False)
        column_of(
            text_label(_WHY, role="dim", is_wrapped=True),
            (self.list, 1),
            row_of((self.nothing, 1), self.revoke_button, gap=SPACE),
            of=self,
            margins=(GAP, GAP, GAP, GAP),
            gap=GAP,
        )
        self.list.selectionModel().selectionChanged.connect(self._show_whether)

    def refresh(self) -> None:
        """Read the list anew.

        Raises:
            BadInput: the file of rules cannot be read.
        """
        found = standing_permissions()
        self.list.fill([((each.what, each.about, each.since or "–"), each) for each in found])
        self.nothing.setText(_NOTHING if not found else counted(len(found), "entry", "entries"))
        self._show_whether()

    def _show_whether(self) -> None:
        self.revoke_button.setEnabled(bool(self.list.selected))

    def _revoke(self) -> None:
        chosen = self.list.selected

        def work() -> str:
            for leave in chosen:
                leave.take_back()
            return f"Taken back: {'; '.join(leave.what for leave in chosen)}. It is asked again."

        self._attempt(work)


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
        self.origins = RemovableList("Allowed origins", ("Origin",))
        self.origin_field = named(QLineEdit(), "Origin to allow")
        self.origin_field.setPlaceholderText("http://localhost:8080")
        self.allow_button = push_button("Allow", self._allow)
        self.forbid_button = push_button("Forbid", self._forbid)
        self.keys = RemovableList("Keys", ("Origin", "Scheme", "Where"))
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
        self.leave = PermissionsPage(self.attempt)
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
            if where is KeyLocation.SESSION:
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
            from toolplanner_core.mcp_servers.oauth import sign_in
            from toolplanner_core.mcp_servers.server_spec import ServerSpec

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


PLUGIN = DialogPlugin.of(dialog_commands.providers, ProvidersDialog, is_beside=True)
