"""Tools of one's own, in twelve steps of the window: an OpenAPI document and an MCP server.

A failing API falls back to the other source, a write is approved, a destructive call is refused,
one call is made by hand, and what was allowed is taken back. Pictures: `fixtures/teller.py`.
"""

import json
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from fixtures.exchange_server import Exchange, exchange_server
from fixtures.mcp_world import write_config
from fixtures.scripted_endpoint import Answers, ScriptedEndpoint, Turn, scripted_endpoint
from fixtures.teller import Teller
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit

from toolplanner_core.approvals import load_approvals
from toolplanner_core.mcp_servers.consent import consents
from toolplanner_gui.panels.apis_panel import ApisPanel
from toolplanner_gui.windows.console_dialog import ConsoleDialog
from toolplanner_gui.windows.import_dialog import ImportDialog
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.prepare_dialog import PrepareDialog
from toolplanner_gui.windows.providers_dialog import ProvidersDialog
from toolplanner_gui.windows.replay_dialog import ReplayDialog

pytestmark = pytest.mark.slow
MARKET = Path(__file__).parents[1] / "fixtures" / "market_mcp_server.py"
PRICE = 'What is the latest price of the stock with the ticker symbol "ACME"?'
TRADE = "Buy ACME, then sell all."
ORDER, SELL = "Exchange · place_order", "market · empty_portfolio"
PLACES_ORDER = Turn("", [("place_order_for_Exchange", {"symbol": "ACME"})])


@pytest.fixture
def exchange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Exchange]:
    """A server over HTTP, and a person who has allowed nothing yet."""
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    with exchange_server() as running:
        yield running


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Generator[ScriptedEndpoint]:
    """The endpoint of the model; what it says is written before each run."""
    with scripted_endpoint() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield endpoint
        assert not endpoint.refused


class Trader(Teller):
    """Somebody with tools of their own."""

    def writes(self, field: QLineEdit, text: str, *, enters: bool = False) -> None:
        field.clear()
        self.qtbot.keyClicks(field, text)
        if enters:
            self.qtbot.keyClick(field, Qt.Key.Key_Return)

    def names_new_file(self, place: Path) -> None:
        dialog = self.dialog(QFileDialog)
        dialog.findChild(QLineEdit).setText(str(place))
        dialog.accept()

    def opens_import(self, place: Path) -> ImportDialog:
        self.trigger("file.import")
        dialog: ImportDialog = self.dialog(ImportDialog)
        self.writes(dialog.source.line, str(place))
        self.until(lambda: dialog.start_button.isEnabled() or dialog.consent.isVisible())
        self.settle()
        return dialog

    def imports(self, dialog: ImportDialog, *, n_apis: int) -> PrepareDialog:
        """Import, and see what is offered next."""
        dialog.start_button.click()
        prepare: PrepareDialog = self.dialog(PrepareDialog)
        self.until(prepare.start_button.isEnabled)
        self.until(lambda: self.context.catalogue.n_apis == n_apis)
        self.settle()
        return prepare

    def chooses(self, change: Callable[[Any], None]) -> None:
        """Change something in the form of how it runs; Escape closes it."""
        button = self.window.workspace_view.query_bar.options
        self.until(lambda: button.form is not None)
        self.trigger("run.options")
        change(button.form)
        self.picture("how-it-runs", button.popup)
        self.qtbot.keyClick(button.popup, Qt.Key.Key_Escape)
        assert not button.popup.isVisible()

    def asks(self, query: str) -> None:
        self.writes(self.window.workspace_view.query_bar.query, query, enters=True)

    def is_held_at(self, title: str) -> Any:
        """The page on which is decided, when the run waits for leave."""
        debug = self.context.debug
        self.until(lambda: debug.current is not None and debug.current.stop.title == title)
        assert debug.current is not None and debug.current.reason == "approval"
        stop = self.panel("inspector").stop
        self.until(lambda: stop.held is debug.current)
        self.settle()
        assert stop.offered == ["Refuse", "Allow", "End run"]
        return stop

    def opens_console(self, name: str) -> ConsoleDialog:
        self.window.show_layout("curate")
        self.settle()
        apis = self.window.workspace_view.docks.reveal("apis")
        assert isinstance(apis, ApisPanel)
        self.until(lambda: apis.model.total > 0)
        self.writes(apis.field, name, enters=True)
        self.until(lambda: apis.model.rowCount() == 1)
        apis.view.selectRow(0)
        self.trigger("curate.call")
        dialog: ConsoleDialog = self.dialog(ConsoleDialog)
        return dialog

    def calls(self) -> list[tuple[str, str]]:
        nodes = self.context.run_view.nodes.values()
        return [(node.title, str(node.state)) for node in nodes if node.kind == "call"]


@pytest.fixture
def trader(window: MainWindow, qtbot: Any) -> Trader:
    return Trader(window, qtbot)


def first_kit(body: dict[str, Any]) -> Turn:
    """Use the toolkit that fits best."""
    name = body["tools"][0]["function"]["name"]
    return Turn("I look the price up.", [(name, {"goal": PRICE})])


def says(text: str) -> Turn:
    return Turn("", [("give_answer", {"final_answer": text})])


def makes_a_workspace(trader: Trader, folder: Path) -> None:
    trader.trigger("file.new")
    trader.names_new_file(folder / "own.toolplanner")
    trader.until(lambda: trader.context.workspace is not None)
    trader.settle()
    trader.picture("new")


def imports_the_document(trader: Trader, document: Path) -> None:
    """It is seen before it comes in."""
    dialog = trader.opens_import(document)
    assert "2 APIs, 1 tool" in dialog.summary.text()
    trader.picture("import-openapi", dialog)
    prepare = trader.imports(dialog, n_apis=2)
    trader.click(prepare, "Cancel")


def imports_the_server(trader: Trader, folder: Path) -> PrepareDialog:
    """It is started only after a yes to its exact command."""
    config = write_config(folder, market={"command": sys.executable, "args": [str(MARKET)]})
    dialog = trader.opens_import(config)
    assert str(MARKET) in dialog.consent.commands.toPlainText()
    assert not consents()
    trader.picture("consent", dialog)
    dialog.consent.allow_button.click()
    trader.until(dialog.start_button.isEnabled)
    trader.settle()
    assert "2 APIs, 1 tool" in dialog.summary.text()
    trader.picture("import-mcp", dialog)
    return trader.imports(dialog, n_apis=4)


def prepares(trader: Trader, prepare: PrepareDialog) -> None:
    for stage, plugin in (("embedder", "lsa"), ("layout", "pca")):
        combo = prepare.choices[stage].combo
        combo.setCurrentIndex(combo.findData(plugin))
    trader.picture("prepare", prepare)
    with trader.qtbot.waitSignal(trader.context.jobs.ended):
        trader.click(prepare, "Prepare")
    trader.until(lambda: trader.context.catalogue.xy is not None)
    trader.settle()
    trader.picture("prepared")


def allows_the_exchange(trader: Trader, exchange: Exchange) -> None:
    """Each source has who calls it; a server on this machine has to be allowed."""
    trader.trigger("run.providers")
    providers: ProvidersDialog = trader.dialog(ProvidersDialog)
    usual = {source: row.provider.currentText() for source, row in providers.rows.items()}
    assert usual == {"openapi": "As usual (HTTP)", "mcp": "As usual (MCP servers)"}
    trader.picture("providers", providers)
    providers.tabs.setCurrentIndex(1)
    trader.writes(providers.origin_field, exchange.url)
    providers.allow_button.click()
    assert exchange.url in providers.outcome.text()
    trader.picture("allowed", providers)
    trader.click(providers, "Close")


def chooses_who_answers(trader: Trader) -> None:
    def react(form: Any) -> None:
        form.strategy.combo.setCurrentIndex(form.strategy.combo.findData("react"))
        form.strategy.form.editors["toolkits"].field.click()
        form.acting.combo.setCurrentIndex(form.acting.combo.findData("openai"))
        trader.writes(form.acting.name, "scripted")

    trader.chooses(react)


def falls_back_to_the_market(trader: Trader, exchange: Exchange, model: ScriptedEndpoint) -> None:
    fill = json.dumps({"arguments": {"symbol": "ACME"}, "missing": []})
    found = json.dumps({"useful": True, "state": "ACME costs 12.5"})
    model.script += [Answers(first_kit), fill, fill, found, says("It is 12.5.")]
    trader.asks(PRICE)
    trader.until_over(1)
    assert exchange.asked == [("GET", "/prices?symbol=ACME", None)]
    assert trader.calls() == [
        ("Exchange · latest_price", "failed"), ("market · stock_quote", "ok"),
    ]  # fmt: skip
    summary = trader.context.run_view.summary
    assert summary is not None
    assert (summary.status, summary.fallbacks) == ("answered", 1)
    trader.picture("fell-back")


def replays_without_a_call(trader: Trader, exchange: Exchange) -> None:
    trader.trigger_below("This run", "run.replay")
    replayed: ReplayDialog = trader.dialog(ReplayDialog)
    assert replayed.sentence.text() == "Run 1 replays identically"
    trader.picture("replayed", replayed)
    trader.click(replayed, "Close")
    assert len(exchange.asked) == 1


def allows_one_write(trader: Trader, exchange: Exchange, model: ScriptedEndpoint) -> None:
    """What would be sent is shown, and allowed for this API."""
    trader.chooses(lambda form: form.strategy.form.editors["toolkits"].field.click())
    sell = Turn("", [("empty_portfolio_for_market", {"owner": "Ada"})])
    model.script += [PLACES_ORDER, sell, says("Ordered.")]
    trader.asks(TRADE)
    stop = trader.is_held_at(ORDER)
    assert f"POST {exchange.url}/orders" in stop.asked.toPlainText()
    assert '"ACME"' in stop.asked.toPlainText()
    assert len(exchange.asked) == 1
    trader.picture("asks-for-leave")
    stop.choose("Allow")
    offered = stop.alternatives.model
    keys = [offered.row(i).key for i in range(offered.rowCount())]
    stop.alternatives.view.setCurrentIndex(offered.index(keys.index("api"), 0))
    trader.picture("allows")
    stop.buttons.send.click()


def refuses_to_destroy(trader: Trader, exchange: Exchange, model: ScriptedEndpoint) -> None:
    """What a hand that clicks at once does is harmless."""
    stop = trader.is_held_at(SELL)
    assert exchange.asked[1:] == [("POST", "/orders", {"symbol": "ACME"})]
    assert 'empty_portfolio {"owner": "Ada"}' in stop.asked.toPlainText()
    assert "delete something" in stop.asked.toPlainText()
    trader.picture("asks-to-destroy")
    stop.buttons.send.click()
    trader.until_over(2)
    assert trader.calls() == [(ORDER, "ok"), (SELL, "failed")]
    said = json.dumps(model.requests[-1]["messages"])
    assert "A person refused this call" in said
    assert "Sold all" not in said
    trader.picture("refused")


def calls_by_hand(trader: Trader) -> ConsoleDialog:
    """The console after a call of the market, still open."""
    console = trader.opens_console("stock_quote")
    trader.writes(console.arguments.field("symbol").editor, "ACME")
    console.call_button.click()
    trader.until(lambda: not console.is_calling)
    return console


def takes_leave_back(trader: Trader) -> None:
    trader.trigger("run.providers")
    providers = trader.dialog(ProvidersDialog)
    providers.tabs.setCurrentWidget(providers.leave)
    assert len(load_approvals()) == len(consents()) == 1
    trader.picture("leave", providers)
    providers.leave.list.selectAll()
    providers.leave.revoke_button.click()
    assert not load_approvals() and not consents()
    trader.click(providers, "Close")


def is_asked_again(trader: Trader, exchange: Exchange, model: ScriptedEndpoint) -> None:
    model.script += [PLACES_ORDER]
    trader.asks(TRADE)
    stop = trader.is_held_at(ORDER)
    stop.choose("End run")
    stop.buttons.send.click()
    trader.until_over(3)
    assert len(exchange.asked) == 2


def test_own_tools_when_used_through_the_window_then_one_run_goes_over_both_and_asks_for_leave(
    trader: Trader, exchange: Exchange, model: ScriptedEndpoint, tmp_path: Path
) -> None:
    makes_a_workspace(trader, tmp_path)
    imports_the_document(trader, exchange.write_document(tmp_path))
    prepares(trader, imports_the_server(trader, tmp_path))
    allows_the_exchange(trader, exchange)
    chooses_who_answers(trader)
    falls_back_to_the_market(trader, exchange, model)
    replays_without_a_call(trader, exchange)
    allows_one_write(trader, exchange, model)
    refuses_to_destroy(trader, exchange, model)

    console = calls_by_hand(trader)
    assert console.outcome.text().startswith("It worked · MCP servers")
    assert "12.5" in console.reply.toPlainText()
    trader.picture("console", console)
    trader.click(console, "Close")

    takes_leave_back(trader)
    console = calls_by_hand(trader)
    assert "12.5" not in console.reply.toPlainText(), "the server is not started"
    trader.picture("not-started", console)
    trader.click(console, "Close")
    is_asked_again(trader, exchange, model)
