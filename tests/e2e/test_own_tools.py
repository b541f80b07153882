"""Tools of one's own, in twelve steps of the command line: an OpenAPI document and an MCP server.

A failing API falls back to the other source, a write is approved, a destructive call is refused,
and everything replays without a single call.
"""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from fixtures.command_line import Outcome, command_here
from fixtures.exchange_server import Exchange, exchange_server
from fixtures.mcp_world import write_config
from fixtures.scripted_endpoint import Turn, scripted_endpoint

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names

pytestmark = pytest.mark.slow
MARKET = Path(__file__).parents[1] / "fixtures" / "market_mcp_server.py"
QUERY = 'What is the latest price of the stock with the ticker symbol "ACME"?'


@pytest.fixture
def exchange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Exchange]:
    """A server over HTTP, and a person who has allowed nothing yet."""
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    with exchange_server() as running:
        yield running


def done(*arguments: object, status: int = 0) -> Outcome:
    outcome = command_here(*arguments)
    assert outcome.status == status, outcome.out + outcome.err
    return outcome


def test_tools_of_two_kinds_when_imported_then_one_run_goes_over_both(
    tmp_path: Path, exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "own.toolplanner"
    config = write_config(tmp_path, market={"command": sys.executable, "args": [str(MARKET)]})
    # 1 to 3: a workspace with both; the server of tools is started only after a yes.
    done("new", file)
    assert done("import", file, exchange.write_document(tmp_path), "--json").data["added"] == 2
    assert str(MARKET) in done("import", file, config, status=2).err
    assert done("import", file, config, "--yes-start", "--json").data["added"] == 2
    # 4: each source has who can call it.
    routes = done("routes", "list", file, "--json").data
    assert {row["source"]: row["provider"] for row in routes} == {"openapi": "http", "mcp": "mcp"}
    # 5 and 6: toolkits; the exchange on this machine is allowed.
    done("prepare", file, "--embedder", "lsa", "--layout", "pca")
    done("origins", "allow", exchange.url)
    # 7: the exchange fails, and the run falls back to the market.
    ran = done("run", file, QUERY, "--tree")
    assert exchange.asked[0] == ("GET", "/prices?symbol=ACME", None)
    assert "✗ Exchange · latest_price" in ran.out
    assert "✓ market · stock_quote" in ran.out
    assert "12.5" in ran.out
    # 8: it replays without a call.
    asked = len(exchange.asked)
    assert "identical" in done("runs", "replay", file, 1).out
    assert len(exchange.asked) == asked
    # 9 to 11: a scripted model wants to write and to destroy; neither without leave.
    order = ("place_order_for_Exchange", {"symbol": "ACME"})
    sell = ("empty_portfolio_for_market", {"owner": "Ada"})
    script = [
        Turn("", [order]), Turn("", [sell]), Turn("", [("give_answer", {"final_answer": "Done."})]),
    ]  # fmt: skip
    wants = ("run", file, "Buy ACME, then sell all.", "--strategy", "react", "--tree")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    for is_allowed in (False, True):
        with scripted_endpoint(*script) as endpoint:
            monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
            ran = command_here(*wants, "--model", "openai:scripted")
            # Where nothing was called, nothing is solved, whatever the model says.
            assert ran.status == 1 or is_allowed, ran.out
            assert not endpoint.refused
            said = str(endpoint.requests[-1]["messages"])
        assert ("POST", "/orders", {"symbol": "ACME"}) in exchange.asked or not is_allowed
        assert sum(method == "POST" for method, _, _ in exchange.asked) == int(is_allowed)
        assert said.count("nobody") + said.count("Nobody") >= 1
        assert "Sold all" not in said
        if not is_allowed:
            done("approvals", "add", file, "allow", api_id(file, "place_order"))
    # 12: what was allowed can be taken back; then the server is not started any more.
    done("approvals", "revoke", 1)
    (consent,) = done("mcp", "list", file, "--json").data
    done("mcp", "revoke", consent["id"])
    ran = command_here("run", file, QUERY, "--tree")
    assert "12.5" not in ran.out
    assert "✗ market · stock_quote" in ran.out, ran.out


def api_id(file: Path, name: str) -> str:
    with Workspace.open(file) as workspace:
        return next(api.id for api in api_names(workspace) if name in api.title)
