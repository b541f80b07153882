"""What changes something is done once, though three vendors of one toolkit could do it."""

import json
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import Outcome, command_here
from fixtures.rough_site import HttpSite, WebAnswer

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names

pytestmark = pytest.mark.slow
VENDORS = ("alpha", "beta", "gamma")


def document(site: HttpSite, vendor: str) -> dict[str, Any]:
    """A vendor's orders: to be read and deleted."""
    parameter = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}

    def operation(verb: str, summary: str) -> dict[str, Any]:
        responses = {"200": {"description": "Done"}}
        given = {"operationId": f"{verb}_order", "summary": summary, "responses": responses}
        return {**given, "parameters": [parameter]}

    return {
        "openapi": "3.1.0",
        "info": {"title": vendor.title(), "version": "1"},
        "servers": [{"url": f"{site.origin}/{vendor}"}],
        "paths": {
            "/orders/{id}": {
                "get": operation("get", "Get the order with an id."),
                "delete": operation("delete", "Delete the order with an id."),
            }
        },
    }


def done(*arguments: object) -> Outcome:
    outcome = command_here(*arguments)
    assert outcome.status == 0, outcome.out + outcome.err
    return outcome


@pytest.mark.parametrize(
    ("reply", "is_known"),
    [(WebAnswer(status=204), True), (WebAnswer({}), True), (HttpSite.reset, False)],
)
def test_change_when_it_was_sent_then_no_other_vendor_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: Any, is_known: bool
) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    file = tmp_path / "vendors.toolplanner"
    done("new", file)
    with HttpSite() as site:
        for vendor in VENDORS:
            path = tmp_path / f"{vendor}.json"
            path.write_text(json.dumps(document(site, vendor)), encoding="utf-8")
            done("import", file, path)
            site.on(f"/{vendor}/orders/5", reply if is_known else site.reset)
        done("prepare", file, "--embedder", "lsa", "--layout", "pca")
        done("origins", "allow", site.origin)
        with Workspace.open(file) as workspace:
            first = next(api.id for api in api_names(workspace))
        leave = ("--for", "origin", "--up-to", "destructive")
        done("approvals", "add", file, "allow", first, *leave)
        ran = command_here("run", file, "Delete the order with id 5", "--tree")
        asked = [each.method for each in site.asked]
    assert asked == ["DELETE"], ran.out + ran.err
    assert (
        "in doubt: network: sent, and nobody knows whether it was done" in ran.out
    ) is not is_known
    assert ("Look at the service" in ran.out) is not is_known
