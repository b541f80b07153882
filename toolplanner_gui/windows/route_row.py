"""One source in the dialog of providers: who calls it, where, how fast, and whether it answers."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLineEdit, QWidget

from toolplanner_core.providers.provider import providers
from toolplanner_core.providers.reaching import origins_of, try_origin
from toolplanner_core.providers.routes import Route, set_route
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import SPACE
from toolplanner_gui.widgets.boxes import row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.widgets.views import quiet_number, still

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
        self.provider = named(still(QComboBox()), f"Provider of {route.source}")
        usual = "" if route.is_chosen else f" ({providers.title_of(route.provider)})"
        self.provider.addItem(f"As usual{usual}", _USUAL)
        for plugin in providers:
            self.provider.addItem(plugin.title, plugin.id)
        chosen = route.provider if route.is_chosen else _USUAL
        self.provider.setCurrentIndex(self.provider.findData(chosen))
        self.base_url = named(QLineEdit(route.base_url), f"Base URL of {route.source}")
        self.base_url.setPlaceholderText("base URL, if not the catalogue's")
        self.rate = named(still(QDoubleSpinBox()), f"Requests per second of {route.source}")
        quiet_number(self.rate)
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
                return "\n".join(try_origin(origin) for origin in found[:3]) or (
                    f"{self._source} names no server."
                )

            self.told.emit(await tasks.in_thread(work))

        tasks.spawn(ask(), owner=self)
