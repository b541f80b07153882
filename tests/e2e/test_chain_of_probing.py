"""Chain of probing by the command line, over two real services and the real client: one knows what
is in stock only of stores whose code the other gives away, a new one each time.

Probed alone it refuses every guess; with the help of the other it replies. What was found is
accepted, shown to chain of tools, and answers a query that needs both.

Source: Shi et al., arXiv 2405.16533, section 4.2.
"""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import Outcome, command_here
from fixtures.rough_site import HttpSite, WebAnswer
from fixtures.scripted_endpoint import Answers, scripted_endpoint

pytestmark = pytest.mark.slow
QUERY = "How many pumps are in stock in the store of Bergen?"


class Directory(HttpSite):
    """Lists stores; each time they have other codes."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str] = []

    def answer_for(self, path: str) -> Any:
        self.given.append(f"st-{len(self.given):03}-{id(self) % 997}")
        return WebAnswer({"stores": [{"city": "Bergen", "code": self.given[-1]}]})


class Stock(HttpSite):
    """Knows the stock of stores by the codes of a directory."""

    def __init__(self, directory: Directory) -> None:
        super().__init__()
        self.directory = directory

    def answer_for(self, path: str) -> Any:
        code = path.rpartition("/")[2]
        if code not in self.directory.given:
            return WebAnswer({"error": f"no store {code}"}, 404)
        return WebAnswer({"pumps": 17, "as_of": "2026-01-02"})


def document(site: HttpSite, name: str, path: str, about: str) -> dict[str, Any]:
    places = re.findall(r"\{(\w+)\}", path)
    parameters = [
        {"name": each, "in": "path", "required": True, "schema": {"type": "string"}}
        for each in places
    ]
    told = {"operationId": name, "summary": about, "parameters": parameters}
    reply = {"responses": {"200": {"description": "The reply"}}}
    return {
        "openapi": "3.0.3",
        "info": {"title": name.rsplit("_", maxsplit=1)[-1].capitalize(), "version": "1"},
        "servers": [{"url": site.origin}],
        "paths": {path: {"get": told | reply}},
    }


@pytest.fixture
def services(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Directory, Stock, Path]]:
    """Both services, imported into a workspace, with leave to call them."""
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    file = tmp_path / "own.toolplanner"
    with ExitStack() as open_sites:
        directory = Directory()
        stock = Stock(directory)
        open_sites.enter_context(directory)
        open_sites.enter_context(stock)
        done("new", file)
        for site, *about in (
            (directory, "list_stores", "/stores", "List the stores of all cities"),
            (stock, "get_stock", "/stock/{code}", "What a store has in stock, by its code"),
        ):
            place = tmp_path / f"{about[0]}.json"
            place.write_text(json.dumps(document(site, *about)), "utf-8")
            done("import", file, place)
            done("origins", "allow", site.origin)
        done("prepare", file, "--embedder", "lsa", "--layout", "pca")
        yield directory, stock, file


def done(*arguments: object) -> Outcome:
    outcome = command_here(*arguments)
    assert outcome.status == 0, outcome.out + outcome.err
    return outcome


def speak(body: dict[str, Any]) -> str:
    """What a plain model says: it guesses where it must, and asks another function where it can."""
    rules, asked = (message["content"] for message in body["messages"][:2])
    names = {name.split("_for_")[0]: name for name in re.findall(r"def (\w+)\(", asked)}
    if rules.startswith("A function could not be called"):
        helper = re.search(r"^(list_stores\w*): .*code", asked, re.MULTILINE)
        return json.dumps({"functions": [helper[1]] if helper else []})
    is_store = "get_stock" not in names or "<function>\nlist_stores" in asked
    stores = names.get("list_stores")
    lines = [f"stores = {stores}()", "print(stores)"]
    if not is_store:
        code = 'stores["stores"][0]["code"]' if stores else "'1'"
        found = f"found = {names['get_stock']}(code={code})"
        lines = [*lines[: bool(stores)], found, 'print("In stock:", found["pumps"], "pumps")']
    return json.dumps({"question": "What is there in Bergen?", "program": "\n".join(lines)})


def test_chain_of_probing_when_a_value_is_another_services_then_its_helper_is_found_and_used(
    services: tuple[Directory, Stock, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    directory, stock, file = services
    with scripted_endpoint(Answers(speak)) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        model = ("--model", "openai:scripted")
        probed = done("run", file, "stores and stock", "--strategy", "probe", *model, "--tree")
        assert "Run 1: done by probe" in probed.out, "nothing was to be solved"
        alone, helped = probed.out.split("API 2 · Stores · list_stores")
        assert "✗ API 1 · Stock · get_stock  failed: no probe worked" in alone
        assert "✓ API 3 · Stock · get_stock  with the help of Stores · list_stores: " in helped
        assert "✓ Who may help?" in helped
        assert directory.given[-1] in helped, "the value that the other service gave"
        assert {asked.path for asked in stock.asked} == {
            "/stock/1",
            f"/stock/{directory.given[-1]}",
        }
        found = {row["title"]: row for row in done("probe", "list", file, "--json").data}
        kept = found["Stock · get_stock"]
        assert kept["helpers"] == ["Stores · list_stores"]
        assert set(kept["returns"]["properties"]) == {"pumps", "as_of"}
        shown = done("probe", "show", file, kept["api"]).out
        assert "With the help of: Stores · list_stores" in shown
        done("probe", "accept", file, "--all")
        answered = done("run", file, QUERY, "--strategy", "atc", *model)
        told = endpoint.requests[-1]["messages"][1]["content"]
        assert not endpoint.refused
    assert '"pumps": "integer"' in told, "what was found is told to who writes the program"
    assert answered.out.startswith("In stock: 17 pumps")
    assert stock.asked[-1].path == f"/stock/{directory.given[-1]}"
    assert "identical" in done("runs", "replay", file, 1).out
