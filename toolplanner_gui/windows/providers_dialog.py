"""Who calls what: the provider of each source, the keys of origins, servers in private networks.

What is chosen for a source belongs to the workspace; keys and allowed origins belong to the person
and stand in no workspace. The values of keys are never shown.
"""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QFormLayout, QLineEdit, QWidget

from toolplanner_core.domain.origin import Origin
from toolplanner_core.errors import UserError
from toolplanner_core.keys import ANY_SCHEME, KeyName, Where, person_keys
from toolplanner_core.net.allowed import allow_origin, allowed_origins, forbid_origin
from toolplanner_core.providers.provider import providers
from toolplanner_core.providers.reaching import origins_of, try_origin
from toolplanner_core.providers.routes import Route, routes_of, set_route
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.boxes import page_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import QuietTree, scrolled
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (720, 600)
_USUAL = ""


class ProvidersDialog(Dialog):
    """Each change counts at once."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Providers, servers and keys")
        self.resize(*_SIZE)
        self.add(self.banner)
        self.outcome = text_label(role="dim", is_wrapped=True)
        self.outcome.setTextFormat(Qt.TextFormat.PlainText)
        self.rows: dict[str, _RouteRow] = {}
        rows = QFormLayout()
        for route in routes_of(context.file):
            self.rows[route.source] = row = _RouteRow(self, route)
            rows.addRow(text_label(route.source), row)
        if not self.rows:
            rows.addRow(text_label("There are no sources yet.", role="dim"))
        self.origins = _NameList("Allowed origins", ("Origin",))
        self.origin_field = named(QLineEdit(), "Origin to allow")
        self.origin_field.setPlaceholderText("http://localhost:8080")
        self.allow_button = push_button("Allow", self._allow)
        self.forbid_button = push_button("Forbid", self._forbid)
        self.keys = _NameList("Keys", ("Origin", "Scheme", "Where"))
        self.key_origin = named(QLineEdit(), "Origin of the key")
        self.key_origin.setPlaceholderText("https://api.example.com")
        self.key_scheme = named(QLineEdit(), "Scheme of the key")
        self.key_scheme.setPlaceholderText("any scheme")
        self.key_value = named(QLineEdit(), "Key")
        self.key_value.setEchoMode(QLineEdit.EchoMode.Password)
        self.key_value.setPlaceholderText("key, user:password or id:secret")
        self.save_button = push_button("Save", self._save_key)
        self.delete_button = push_button("Delete", self._delete_key)
        page = page_of(
            text_label("Sources of this workspace", role="section"),
            rows,
            text_label("Servers in private networks that may be called", role="section"),
            self.origins,
            row_of((self.origin_field, 1), self.allow_button, self.forbid_button, gap=SPACE),
            text_label("Keys, each for one origin", role="section"),
            self.keys,
            row_of((self.key_origin, 2), (self.key_scheme, 1), (self.key_value, 2), gap=SPACE),
            row_of(1, self.save_button, self.delete_button, gap=SPACE),
            gap=GAP,
            role="page",
        )
        self.add((scrolled(page), 1), self.outcome)
        self.add_buttons(None, "Close")
        for button in (self.allow_button, self.forbid_button, self.save_button, self.delete_button):
            button.setAutoDefault(False)
        self._refresh()

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

    def _delete_key(self) -> None:
        def work() -> str:
            for name in self.keys.selected:
                person_keys().delete(name)
            return ""

        self.attempt(work)


class _RouteRow(QWidget):
    """Provider, base URL and test of one source."""

    def __init__(self, dialog: ProvidersDialog, route: Route) -> None:
        super().__init__()
        self._dialog, self._source = dialog, route.source
        self.provider = named(QComboBox(), f"Provider of {route.source}")
        usual = "" if route.is_chosen else f" ({providers.title_of(route.provider)})"
        self.provider.addItem(f"As usual{usual}", _USUAL)
        for plugin in providers:
            self.provider.addItem(plugin.title, plugin.id)
        chosen = route.provider if route.is_chosen else _USUAL
        self.provider.setCurrentIndex(self.provider.findData(chosen))
        self.base_url = named(QLineEdit(route.base_url), f"Base URL of {route.source}")
        self.base_url.setPlaceholderText("base URL, if not the catalogue's")
        self.test_button = push_button("Test", self._test, tip="Is there a server that answers?")
        self.test_button.setAutoDefault(False)
        row_of(self.provider, (self.base_url, 1), self.test_button, of=self, gap=SPACE)
        self.provider.activated.connect(self._choose)
        self.base_url.editingFinished.connect(self._choose)

    def _choose(self) -> None:
        provider, base_url = str(self.provider.currentData()), self.base_url.text().strip()

        def work() -> str:
            file = self._dialog.context.file
            set_route(file, self._source, provider=provider, base_url=base_url)
            return ""

        self._dialog.attempt(work)

    def _test(self) -> None:
        tasks, file = self._dialog.context.tasks, self._dialog.context.file
        self._dialog.outcome.setText("Asking …")

        async def ask() -> None:
            def work() -> str:
                found = origins_of(file, self._source)
                return "\n".join(try_origin(origin) for origin in found[:3]) or (
                    f"{self._source} names no server."
                )

            self._dialog.outcome.setText(await tasks.in_thread(work))

        tasks.spawn(ask(), owner=self)


class _NameList(QuietTree):
    """Rows of names."""

    def __init__(self, name: str, titles: tuple[str, ...]) -> None:
        super().__init__(name, is_flat=True)
        self._model = TableModel(titles, self)
        self.set_model(self._model, dict.fromkeys(range(1, len(titles)), 130))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setFixedHeight(120)

    def fill(self, rows: list[tuple[tuple[str, ...], object]]) -> None:
        """Show these, each with its key."""
        self._model.set_rows([Row(cells=cells, key=key) for cells, key in rows])

    @property
    def selected(self) -> list[Any]:
        """Keys of the selected rows."""
        return [index.data(KEY_ROLE) for index in self.selectionModel().selectedRows(0)]


PLUGIN = DialogPlugin(id="providers", make=ProvidersDialog, is_beside=True)
