"""What changes something is done once: a reply that says little is no reason to send it again."""

import asyncio
from pathlib import Path

import pytest
from fixtures.http_world import HttpWorld, http_api
from fixtures.rough_site import HttpSite, WebAnswer
from fixtures.scripted_run import ScriptedModel, make_parts

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.operation import Operation
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.engine import run
from toolplanner_core.runs.spec import RunSpec
from toolplanner_core.workspace import Workspace

VENDORS = ("alpha", "beta", "gamma")


@pytest.mark.parametrize("reply", [WebAnswer({"ok": True}, 201), WebAnswer(status=201)])
@pytest.mark.parametrize("risk", [Risk.WRITE, Risk.DESTRUCTIVE])
def test_change_when_its_reply_serves_nothing_then_sent_once_and_done(
    tmp_path: Path, workspace: Workspace, reply: WebAnswer, risk: Risk
) -> None:
    status, asked = pay(tmp_path, workspace, reply, risk)
    assert asked == [("POST", "/alpha/pay")]
    assert status is Status.SOLVED


def test_question_when_its_reply_serves_nothing_then_the_others_are_asked(
    tmp_path: Path, workspace: Workspace
) -> None:
    _, asked = pay(tmp_path, workspace, WebAnswer({"ok": True}), Risk.READ)
    assert {path for _, path in asked} == {f"/{vendor}/pay" for vendor in VENDORS}


def pay(
    folder: Path, workspace: Workspace, reply: WebAnswer, risk: Risk
) -> tuple[Status, list[tuple[str, str]]]:
    """Run one step over three vendors, of none of whom the model finds a reply useful."""
    with HttpSite() as site:
        for vendor in VENDORS:
            site.on(f"/{vendor}/pay", reply)
        kits = {
            "Pay": [
                http_api(
                    Operation(method="POST", servers=(site.origin,), path=f"/{vendor}/pay"),
                    id=ApiId(f"{vendor:0>16}"), key=f"{vendor}/pay", name=vendor, risk=risk,
                )
                for vendor in VENDORS
            ]
        }  # fmt: skip
        world = HttpWorld(folder / "keys.json", [site.origin])
        model = ScriptedModel(plans=[[("Pay the order", 1, [])]], useless=set(VENDORS))

        async def work() -> Status:
            parts = make_parts(kits, model, world.provider(), max_replans=0)
            return (await run(workspace, RunSpec(query="Pay the order"), parts=parts)).status

        return asyncio.run(work()), [(each.method, each.path) for each in site.asked]
