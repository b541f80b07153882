"""What changes something is done once, whichever strategy asks for it, and whatever it asks.

Real HTTP provider and loopback server, which counts what arrived; a scripted endpoint whose model
would pay with each vendor, and leave for all of them.
"""

from pathlib import Path
from typing import Any

import pytest
from fixtures.http_world import HttpWorld
from fixtures.rough_site import HttpSite, WebAnswer
from fixtures.scripted_run import api_finder
from fixtures.vendors import VENDORS, allow_all_at, pay_with, vendor_kits

from toolplanner_core.domain.api import Risk
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.runs.stages.idempotency import IdempotencyStage
from toolplanner_core.runs.stages.stage import CallEnd, CallRequest
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

from .test_misbehaviour import CAPPED

WRITING = {"probe": {"writing": True}}
"""Options without which a strategy never writes."""
ASKING_AGAIN = [name for name in CAPPED if name != "chain-of-thought"]
"""All but the one that names its calls once."""


@pytest.fixture(autouse=True)
def own_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "person" / "settings.json"))


def paid(workspace: Workspace, folder: Path, named: str, answer: Any, **fields: Any) -> list[str]:
    """Who was asked to pay, in order; the run is replayed, too."""
    strategy, options, _ = CAPPED[named]
    with HttpSite() as site:
        for vendor in VENDORS:
            site.on(f"/{vendor}/pay", site.reset if answer == "cut" else answer)
        allow_all_at(site.origin)
        kits = vendor_kits(site.origin, **fields)
        world = HttpWorld(folder / "keys.json", [site.origin])
        options = options | WRITING.get(strategy, {})
        done = pay_with(workspace, world, kits, strategy=strategy, options=options)
        asked = [each.path.split("/")[1] for each in site.asked]
    report = replay(workspace, done.run, api_of=api_finder(kits))
    assert report.identical, report.divergence
    return asked


@pytest.mark.parametrize("named", CAPPED)
def test_change_when_it_was_served_then_no_strategy_does_it_again(
    tmp_path: Path, workspace: Workspace, named: str
) -> None:
    assert len(paid(workspace, tmp_path, named, WebAnswer({}))) == 1


@pytest.mark.parametrize("named", CAPPED)
def test_change_when_nobody_knows_whether_it_was_done_then_no_strategy_does_it_again(
    tmp_path: Path, workspace: Workspace, named: str
) -> None:
    assert len(paid(workspace, tmp_path, named, "cut")) == 1


@pytest.mark.parametrize("named", ASKING_AGAIN)
def test_change_when_there_is_no_rule_then_the_model_does_it_again(
    tmp_path: Path, workspace: Workspace, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def pass_on(_: IdempotencyStage, request: CallRequest, proceed: CallEnd) -> Any:
        return await proceed(request)

    monkeypatch.setattr(IdempotencyStage, "__call__", pass_on)
    # A step of a plan over toolkits, and a sub-task, end with what was served.
    ends_when_served = any(word in named for word in ("tool-planner", "one by", "toolkits", "tptu"))
    answer = "cut" if ends_when_served else WebAnswer({})
    assert len(paid(workspace, tmp_path, named, answer)) > 1


@pytest.mark.parametrize("named", ASKING_AGAIN)
def test_question_when_its_reply_is_empty_then_it_is_asked_again(
    tmp_path: Path, workspace: Workspace, named: str
) -> None:
    assert len(paid(workspace, tmp_path, named, WebAnswer({}), risk=Risk.READ)) > 1


def test_strategies_when_listed_then_each_is_tried() -> None:
    asking = {plugin.id for plugin in strategies} - {"health"}  # that one only reads
    assert {strategy for strategy, _, _ in CAPPED.values()} == asking
