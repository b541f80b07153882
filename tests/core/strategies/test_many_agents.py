"""AnyTool with a fallible model: many agents at once, invented names, broken replies; caps hold,
replays agree, and stopping stops everybody.

Quick: a small catalogue, 3 runs. With TOOLPLANNER_BENCH=1: 50 runs over the real one (45,284 APIs).
"""

import asyncio
import json
import os
import random
import re
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from fixtures.catalogues import add_apis, made_up_apis
from fixtures.gold_oracle import reach
from fixtures.plain_model import skeleton
from fixtures.scripted_run import QuickClock, ScriptedProvider

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.llm.model import ModelError, ModelRequest, Reply, Usage
from toolplanner_core.prompts.conversation import Function, FunctionCall
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.catalogue import WorkspaceCatalogue
from toolplanner_core.runs.engine import run
from toolplanner_core.runs.gate import Outside
from toolplanner_core.runs.parts import RunParts
from toolplanner_core.runs.reading import load_tree
from toolplanner_core.runs.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.tape.replay import replay
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import sources
from toolplanner_core.strategies.strategy import strategies
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid

BENCH = os.environ.get("TOOLPLANNER_BENCH") == "1"
RUNS = 50 if BENCH else 3
CAPS: dict[str, Any] = {
    "pool": 64, "max_questions": 10, "max_agents": 40, "token_cap": 200_000, "max_rounds": 3,
}  # fmt: skip
_LISTED = re.compile(r"^- (.+?)(?: \([\d,]+ APIs?\)|: .*)?$", re.MULTILINE)


@dataclass
class FallibleModel:
    """Does something that is offered, mostly with names that were listed, and often goes wrong."""

    seed: int
    label: str = "fallible"
    together: int = 0
    most_together: int = 0
    asked: int = 0
    hangs_at: int | None = None
    stuck: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    async def complete(self, request: ModelRequest) -> Reply:
        self.asked += 1
        self.together += 1
        self.most_together = max(self.most_together, self.together)
        try:
            if self.hangs_at is not None and self.together >= self.hangs_at:
                self.stuck.set()
            if self.stuck.is_set():
                await asyncio.Event().wait()
            for _ in range(self._chance.randrange(1, 40)):
                await asyncio.sleep(0)
            return self._reply(request)
        finally:
            self.together -= 1

    async def close(self) -> None:
        pass

    def _reply(self, request: ModelRequest) -> Reply:
        chance, usage = self._chance, Usage(input_tokens=400, output_tokens=20)
        if chance.random() < 0.02:
            raise ModelError(ErrorClass.SERVER_ERROR, "down", is_transient=True)
        if request.question is not None:
            data = skeleton(request.question.schema()) | {"reason": "so it is"}
            data |= {name: chance.random() < 0.1 for name in ("solvable", "solved") if name in data}
            return Reply(data=data, text=json.dumps(data), usage=usage)
        if chance.random() < 0.05:
            return Reply(data=None, text="Hm.", usage=usage)
        said = "\n".join(message.content for message in request.messages)
        names = _LISTED.findall(said) or ["x"]
        calls = [self._call(request.tools, names, n) for n in range(chance.randint(1, 4))]
        return Reply(data=None, text="", calls=tuple(calls), usage=usage)

    def _call(self, tools: Sequence[Function], names: list[str], number: int) -> FunctionCall:
        chance = self._chance
        create = [tool for tool in tools if tool.name.startswith("create_agent")]
        search = [tool for tool in tools if tool.name != "finish_search"]
        tool = chance.choice(create if create and chance.random() < 0.7 else search)
        if chance.random() < 0.04:
            tool = tools[-1]
        arguments = self._arguments(tool.parameters, names)
        text = "{" if chance.random() < 0.03 else json.dumps(arguments)
        return FunctionCall(f"call_{self.asked}_{number}", tool.name, text)

    def _arguments(self, schema: Any, names: list[str]) -> dict[str, Any]:
        made = skeleton(schema)
        for name in made:
            listed = "invented" if self._chance.random() < 0.1 else self._chance.choice(names)
            of_one = schema["properties"][name]
            options = of_one.get("enum") or of_one.get("items", {}).get("enum")
            listed = self._chance.choice(options) if options else listed
            made[name] = [listed] if of_one.get("type") == "array" else listed
        return made


@pytest.fixture(scope="module")
def catalogue(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Workspace]:
    path = tmp_path_factory.mktemp("many") / "many.toolplanner"
    with Workspace.create(path) as workspace:
        if BENCH:
            data: Path = request.getfixturevalue("shared_data")
            plugin = sources.get("toolbench")
            location = Location.of(data / "toolbench" / "toolenv.zip")
            records = plugin.read(location, plugin.options(), source="toolbench")
            import_apis(
                workspace,
                records,
                source_name="toolbench",
                format_id="toolbench",
                location="the real catalogue",
            )
        else:
            apis = made_up_apis(8)
            more = [
                replace(
                    api, id=ApiId(f"{number:0>16}"), category=f"Category {number // 32}",
                    key=f"{api.key}/{number}", doc_hash=f"{number}",
                )
                for number, api in enumerate(apis * 16)
            ]  # fmt: skip
            add_apis(workspace, more)
        yield workspace


def go(workspace: Workspace, model: FallibleModel, cancel: asyncio.Event | None = None) -> Any:
    plugin = strategies.get("anytool")
    known = WorkspaceCatalogue(workspace)
    outside = Outside(
        models={Role.ACTING: model},
        provider=ScriptedProvider(),
        provider_name="scripted",
        touches_world=False,
    )
    options = plugin.options(**CAPS, hierarchy="categories")
    parts = RunParts(strategy=plugin, options=options, outside=outside, catalogue=known)
    limits = Limits(max_model_calls=None, max_api_calls=None, max_seconds=None)
    spec = RunSpec(query="weather and money", strategy="anytool", limits=limits)
    return run(workspace, spec, parts=parts, cancel=cancel, clock=QuickClock())


@pytest.mark.timeout(3600 if BENCH else 300)
def test_agents_when_many_search_at_once_then_no_cap_is_passed_and_replays_agree(
    catalogue: Workspace,
) -> None:
    most_together = 0
    for seed in range(RUNS):
        model = FallibleModel(seed)
        done: RunSummary = asyncio.run(asyncio.wait_for(go(catalogue, model), 600))
        assert done.status in (Status.SOLVED, Status.UNSOLVED), done.reason
        most_together = max(most_together, model.most_together)
        nodes = load_tree(catalogue, done.run).nodes
        assert not [n.path for n in nodes.values() if n.state is NodeState.RUNNING]
        kinds = Counter(node.kind for node in nodes.values())
        turns = [p.rpartition("/") for p, n in nodes.items() if n.is_question]
        asked = Counter(above for above, _, last in turns if last.startswith("search."))
        assert max(asked.values()) <= CAPS["max_questions"]
        first = [n for n in nodes.values() if "_agent" in n.kind and "again" not in n.title]
        assert len(first) <= 1 + CAPS["max_agents"]
        assert kinds["search_round"] <= CAPS["max_rounds"]
        assert max(n.data.get("pool", 0) for n in nodes.values()) <= CAPS["pool"]
        assert done.tokens <= CAPS["token_cap"] + 420 * model.most_together
        report = replay(catalogue, done.run)
        assert report.identical, report.divergence
    assert most_together >= 16


async def sixteen_together(
    catalogue: Workspace, cancel: asyncio.Event
) -> tuple[FallibleModel, "asyncio.Task[RunSummary]"]:
    """A run in which sixteen have come together, and hang."""
    for seed in range(20):
        model = FallibleModel(seed, hangs_at=16)
        running = asyncio.ensure_future(go(catalogue, model, cancel))
        waiting = asyncio.ensure_future(model.stuck.wait())
        await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if model.stuck.is_set():
            return model, running
        waiting.cancel()
    raise AssertionError("sixteen never came together")


def test_agents_when_stopped_while_sixteen_wait_then_none_asks_again_and_all_nodes_end(
    catalogue: Workspace,
) -> None:
    async def stop_it() -> tuple[RunSummary, int, int]:
        cancel = asyncio.Event()
        model, running = await sixteen_together(catalogue, cancel)
        for _ in range(300):  # those who are about to ask hang, too
            await asyncio.sleep(0)
        before = model.asked
        cancel.set()
        done = await asyncio.wait_for(running, 60)
        return done, model.asked - before, len(asyncio.all_tasks())

    done, asked, tasks = asyncio.run(stop_it())
    assert done.status is Status.CANCELLED
    assert (asked, tasks) == (0, 1)
    nodes = load_tree(catalogue, done.run).nodes.values()
    assert all(node.state is not NodeState.RUNNING for node in nodes)
    assert replay(catalogue, done.run).identical


@pytest.mark.parametrize("by", ["categories", "toolkits"])
def test_agents_when_an_oracle_leads_them_then_every_gold_api_can_be_reached(
    demo: Path, by: str
) -> None:
    with Workspace.open(demo) as workspace:
        apis = [*apis_by_rowid(workspace, all_rowids(workspace)).values()]
        wanted = [("a", apis[::9]), ("b", apis[1:3])]
        found = reach(workspace, wanted, by)
    gold = sum(len(each) for _, each in wanted)
    assert (found.gold, found.reached, found.complete) == (gold, gold, 2)
