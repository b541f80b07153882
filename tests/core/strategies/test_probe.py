"""Probing: of a shop on loopback whose endpoints need ids of others, imported from its document."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from fixtures.http_world import HttpWorld
from fixtures.probed_shop import CHAIN, ProbedShop, probes
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, bad, make_api, make_parts, ok

from toolplanner_core.cli.app import run_command_line as main
from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.probing.protocol import ProtocolStatus
from toolplanner_core.probing.stored_protocols import decide_protocol, get_protocol, list_protocols
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.engine.gate import Backends
from toolplanner_core.runs.engine.run_parts import RunParts
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.location import Location
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid

LIMITS = Limits(max_model_calls=None, max_api_calls=None, max_seconds=None)


def all_apis(workspace: Workspace) -> list[Api]:
    return [*apis_by_rowid(workspace, all_rowids(workspace)).values()]


@pytest.fixture
def shop() -> Iterator[ProbedShop]:
    made = ProbedShop()
    with made:
        yield made


def probing(
    workspace: Workspace, shop: ProbedShop, tmp_path: Path, *, names: Any = CHAIN, **options: Any
) -> RunSummary:
    """Import the shop and probe some of its endpoints."""
    document = tmp_path / "shop.json"
    document.write_text(json.dumps(shop.document()), "utf-8")
    import_source(workspace, Location.of(document), progress=Progress())
    ids = {api.name: api.id for api in all_apis(workspace)}
    plugin = strategies.get("probe")
    model = ScriptedModel(answers={"probe_api": [probes] * 999, "choose_helpers": [probes] * 999})
    parts = RunParts(
        strategy=plugin,
        options=plugin.options(**options),
        outside=Backends(
            models={Role.ACTING: model},
            provider=HttpWorld(tmp_path / "keys.json", [shop.origin]).provider(),
            provider_name="http",
            touches_world=True,
        ),
        catalogue=WorkspaceCatalogue(workspace),
    )
    query = " ".join(ids[name] for name in names)
    spec = RunSpec(query=query, strategy="probe", limits=LIMITS)
    return asyncio.run(run(workspace, spec, parts=parts))


def test_chain_of_probing_when_ids_come_from_others_then_all_twelve_are_found(
    workspace: Workspace, shop: ProbedShop, tmp_path: Path
) -> None:
    done = probing(workspace, shop, tmp_path)
    assert done.status is Status.SOLVED, done.reason
    assert done.answer == "12 protocols of 12 APIs found."
    kept = {
        each.protocol.title.rpartition(" · ")[2]: each.protocol
        for each in list_protocols(workspace)
    }
    assert set(kept) == set(CHAIN)
    assert all(protocol.status == "new" for protocol in kept.values())
    assert kept["list_users"].helpers == ()
    assert len(kept["get_station"].helpers) >= 1
    assert kept["get_user"].returns["properties"]["phone"] == {"type": "null"}
    assert kept["station_log"].returns["type"] == "array"
    assert replay(workspace, done.run).identical


def test_chain_of_probing_when_rounds_are_few_then_the_far_ones_are_left(
    workspace: Workspace, shop: ProbedShop, tmp_path: Path
) -> None:
    done = probing(workspace, shop, tmp_path, names=[*CHAIN][::-1], rounds=2, tries=1)
    assert done.answer.startswith("5 protocols of 12 APIs found. Not found: ")
    tree = load_tree(workspace, done.run)
    assert tree.nodes[NodePath("probed.1")].reason == "no probe worked"


def test_black_box_probing_when_alone_then_only_what_needs_nothing_is_found(
    workspace: Workspace, shop: ProbedShop, tmp_path: Path
) -> None:
    done = probing(workspace, shop, tmp_path, rounds=0, tries=2)
    assert done.answer.startswith("1 protocol of 12 APIs found.")
    tree = load_tree(workspace, done.run)
    probed = tree.nodes[NodePath("probed.2")]
    assert len([path for path in probed.children if "probe." in path]) == 2
    assert "unknown id" in str(tree.nodes[NodePath("probed.2/probe.1")].data["error"])


def test_probing_when_an_api_may_change_something_then_left_out(
    workspace: Workspace, shop: ProbedShop, tmp_path: Path
) -> None:
    done = probing(workspace, shop, tmp_path, names=["list_users", "clear_orders"])
    assert done.answer == ("1 protocol of 1 API found. 1 API that may change something left out.")
    assert {asked.method for asked in shop.asked} == {"GET"}


def test_protocols_when_decided_then_listed_with_what_the_documentation_says_otherwise(
    workspace: Workspace, shop: ProbedShop, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    probing(workspace, shop, tmp_path)
    ids = {api.name: api.id for api in all_apis(workspace)}
    file = str(workspace.path)
    assert main(["probe", "show", file, ids["get_city"]]) == 0
    shown = capsys.readouterr().out
    assert "1 of another type (inhabitants: string, integer)" in shown
    assert "get_city = " in shown
    assert main(["probe", "reject", file, ids["get_city"]]) == 0
    assert main(["probe", "accept", file, "--all"]) == 0
    assert capsys.readouterr().out.endswith("11 protocols accepted.\n")
    assert get_protocol(workspace, ids["get_city"]).protocol.status == "rejected"
    assert main(["probe", "list", file, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert sorted({row["status"] for row in listed}) == ["accepted", "rejected"]
    assert {row["version"] for row in listed} == {2}
    assert main(["probe", "accept", file]) == 2
    assert main(["probe", "show", file, "0" * 16]) == 2


@pytest.mark.parametrize(
    "case",
    ["accepted accepted told", "new accepted", "new all told", "rejected all", "accepted none"],
)
def test_atc_when_protocols_were_probed_then_told_those_that_count(
    workspace: Workspace, shop: ProbedShop, tmp_path: Path, case: str
) -> None:
    status, probed, *told = case.split()
    probing(workspace, shop, tmp_path, names=["list_users"])
    [api] = [each for each in all_apis(workspace) if each.name == "list_users"]
    decide_protocol(workspace, api.id, cast(ProtocolStatus, status))
    model = ScriptedModel(answers={"write_program": [{"program": "print(1)"}]})
    atc = strategies.get("atc")
    parts = make_parts({"Shop": [api]}, model, ScriptedProvider(), strategy=atc, probed=probed)
    spec = RunSpec(query="who?", strategy="atc")
    done = asyncio.run(run(workspace, spec, parts=parts))
    assert done.answer == "1"
    asked = model.asked[0].question.messages()[1].content
    assert ('Returns: {"users": [{"id": "string"' in asked) is bool(told)
    assert ("# What is list_users?" in asked) is bool(told)


def test_probing_when_the_program_does_not_call_the_api_then_it_is_no_probe(
    workspace: Workspace,
) -> None:
    silent = {"question": "?", "program": "print('nothing')"}
    model = ScriptedModel(answers={"probe_api": [silent] * 3})
    plugin = strategies.get("probe")
    kits = {"Kit": [make_api("kit_a"), make_api("kit_b", risk=Risk.WRITE)]}
    provider = ScriptedProvider({"kit_a": ok(1), "kit_b": bad(500)})
    parts = make_parts(kits, model, provider, strategy=plugin)
    done = asyncio.run(run(workspace, RunSpec(query="x", strategy="probe"), parts=parts))
    assert (done.status, done.reason) == (Status.UNSOLVED, "No probe worked")
    assert provider.calls == []
    tree = load_tree(workspace, done.run)
    assert tree.nodes[NodePath("probed.1/probe.1")].reason == "the API was not called"
