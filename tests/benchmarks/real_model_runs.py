"""`make real-model`: a real, tiny language model behind a real server is asked every kind of
question, holds dialogues, and works for each strategy on demo cases, within caps. In pieces:
`--runs-only --cases no-error`, then `--runs-only --cases fallback-in-toolkit --add`.

The model is far too small to plan, which is what makes it a test: nothing that it says may break a
rule of the protocol, every run must end within its caps and say why. Writes real_model.md into
benchmarks/results; ends with 1 if a rule was broken.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from fixtures.real_model import NAME, reason_to_skip, serving
from fixtures.simulated_world import SimulatedWorld
from fixtures.simulation import VARIANTS, Variant, simulation

from toolplanner_core.curation.grouping.lay_out import lay_out
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import NOT_REFUTED, Status
from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.model import (
    Model,
    ModelContext,
    ModelError,
    ModelRequest,
    ReplyChunk,
    make_model,
)
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.describe import DescribeApis, DescribeToolkit
from toolplanner_core.prompts.probing import ChooseHelpers, ProbeApi
from toolplanner_core.prompts.question import AnswerInvalid, Question
from toolplanner_core.providers.demo.filling import demo_cases, fill_demo_workspace
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.question import ModelFailed, ModelReplied
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.stages.live_replies import LiveReply
from toolplanner_core.settings import EndpointSettings, Settings, save_settings
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

RESULTS = Path(__file__).parent / "results"
PROMPT_TOKENS, API_CALLS = 1_000, 10
"""At most, of a prompt and of a run."""
SPEC = f"openai:{NAME}?prompt_tokens={PROMPT_TOKENS}&reply_tokens=160"
CASES = ("no-error", "fallback-in-toolkit", "toolkits-in-a-row")
OPTIONS: dict[str, dict[str, Any]] = {
    "toolchain-star": {"samples": 2},
    "anytool": {"page_size": 8, "max_agents": 3, "max_rounds": 2},
    "toolnet": {"start": 8, "successors": 8},
    "tptu": {"retrieved": 8},
}
"""Beside a shortlist of 8, where a strategy has one."""
_BROKEN = {ErrorClass.WRONG_FORMAT, ErrorClass.BAD_PAYLOAD, ErrorClass.NOT_FOUND}
"""Classes that a server's refusals have, and replies that cannot be read."""
_ENDS = {Status.UNSOLVED, Status.OVER_BUDGET}
"""How a run may end beside solved, with a reason."""
COLUMNS = (
    "strategy | case | model calls | longest prompt | API calls | ended | s | protocol errors"
    " | prompts cut | streamed places | tokens | reason"
)
ASKED = "| asked | what came | broken |\n|---|---|---|"
HEAD = f"| {COLUMNS} |\n|{'---|' * 12}"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that was put to the model, and what came of it in words."""

    what: str
    outcome: str
    is_broken: bool = False


def _harvest() -> list[ModelRequest]:
    """One request of every kind that strategies make, from runs over a simulated world."""
    world = SimulatedWorld()
    found: dict[str, ModelRequest] = {}
    more = (
        Variant("dfsdt, ranked", "dfsdt", {"rank": True, "max_questions": 9}),
        Variant("toolnet, learning", "toolnet"),
    )
    for variant in (*VARIANTS, *more):
        with (
            tempfile.TemporaryDirectory() as folder,
            Workspace.create(Path(folder) / "w.toolplanner") as workspace,
            simulation(world, slip=0.1) as made,
        ):
            made.run(workspace, variant, world.tasks(4, seed=7), rate=0.6)
            found |= made.seen
    stub = 'def get_weather(city):\n    """Weather of a city."""'
    for question in (
        DescribeApis(documentation=("Rates: exchange rate of a day", "Weather of a city")),
        DescribeToolkit(members=("Weather of a city", "Forecast by coordinates")),
        ProbeApi(target="get_weather", protocols=(stub,)),
        ChooseHelpers(protocol=stub, known=[("find_city", '{"city": "string"}')]),
    ):
        found[question.id] = _request(question)
    return [found[name] for name in sorted(found)]


def _request(question: Question[Any]) -> ModelRequest:
    return ModelRequest(
        id=question.id,
        question=question,
        messages=tuple(question.messages()),
        schema=question.schema(),
        temperature=0.0,
        timeout_s=600,
    )


async def _tell(model: Model, request: ModelRequest, what: str) -> Asked:
    """Ask, and say at once what came: all of it takes minutes."""
    asked = await _ask(model, request, what)
    print(f"| {asked.what} | {asked.outcome} | {asked.is_broken or ''} |", flush=True)
    return asked


async def _ask(model: Model, request: ModelRequest, what: str) -> Asked:
    pieces: list[ReplyChunk] = []
    began_s = time.perf_counter()
    try:
        reply = await model.complete(replace(request, timeout_s=600, hear=pieces.append))
    except ModelError as failure:
        return Asked(what, f"{failure.error}: {failure.message}", failure.error in _BROKEN)
    took = f"{time.perf_counter() - began_s:.0f} s, {reply.usage.input_tokens} tokens in"
    told = f"{took}, {len(pieces)} pieces" + (", prompt cut" if "cut" in reply.raw else "")
    if request.question is None:
        called = ", ".join(call.name for call in reply.calls) or "nothing"
        return Asked(what, f"called {called}; {told}")
    try:
        request.question.parse(reply.data)
    except AnswerInvalid as invalid:
        return Asked(what, f"not usable ({str(invalid)[:80]}); {told}")
    return Asked(what, f"usable; {told}")


async def _all_questions(requests: Sequence[ModelRequest]) -> list[Asked]:
    model = make_model(SPEC, ModelContext(encode=None))
    found = [await _tell(model, request, request.id) for request in requests]
    save_settings(Settings(endpoint=EndpointSettings(stream=True)))
    streaming = make_model(SPEC, ModelContext(encode=None))
    turns = [request for request in requests if request.question is None and request.tools]
    found += [await _tell(streaming, turn, f"{turn.id}, streamed") for turn in turns]
    whole = make_model(f"openai:{NAME}", ModelContext(encode=None))
    long = Message("user", "word " * 6_000)
    too_long = replace(requests[0], question=None, messages=(long,), schema={}, tools=())
    over = await _tell(whole, too_long, "a prompt of 6,000 words")
    is_said = "too long for this model" in over.outcome
    found.append(replace(over, is_broken=not is_said))
    for each in (model, streaming, whole):
        await each.close()
    return found


async def _cancelled(workspace: Workspace) -> Asked:
    """Stop a run while the model works."""
    cancel = asyncio.Event()
    spec = _spec("react", demo_cases()[0].query, 3)
    going = asyncio.ensure_future(run(workspace, spec, cancel=cancel))
    await asyncio.sleep(3)
    began_s = time.perf_counter()
    cancel.set()
    done = await going
    took_s = time.perf_counter() - began_s
    is_late = took_s > 1 or done.status != "cancelled"
    return Asked("cancel", f"{done.status} after {took_s:.2f} s", is_late)


def _spec(strategy: str, query: str, calls: int) -> RunSpec:
    plugin = strategies.get(strategy)
    names = plugin.options.__dataclass_fields__
    options = {"shortlist": 8} if "shortlist" in names else {}
    limits = Limits(max_model_calls=calls, max_api_calls=API_CALLS, max_seconds=1_800)
    options |= OPTIONS.get(strategy, {})
    return RunSpec(
        query=query, strategy=strategy, model=SPEC, provider="demo", options=options, limits=limits
    )


async def _solve(
    workspace: Workspace, strategy: str, case: str, query: str, calls: int
) -> tuple[str, bool]:
    """A row of the table, and whether a rule was broken."""
    streamed: set[NodePath] = set()

    def hear(said: Sequence[LiveReply]) -> None:
        streamed.update(each.path for each in said if each.pieces > 1)

    done = await run(workspace, _spec(strategy, query, calls), on_speech=hear)
    events = [record.event for record in read_run(workspace, done.run)]
    failed = Counter(str(e.error) for e in events if isinstance(e, ModelFailed))
    broken = sum(failed[str(error)] for error in _BROKEN)
    cut = sum("cut" in e.raw for e in events if isinstance(e, ModelReplied))
    prompts = [e.input_tokens for e in events if isinstance(e, ModelReplied)]
    is_over = done.model_calls > calls or done.api_calls > API_CALLS
    is_over |= max(prompts, default=0) > PROMPT_TOKENS
    has_class = done.status in NOT_REFUTED or (done.status in _ENDS and done.reason)
    is_unheard = bool(prompts) and not streamed
    reason = " ".join(done.reason.split())[:90].replace("|", "/")
    row = (
        f"| {strategy} | {case} | {done.model_calls} of {calls} | {max(prompts, default=0)} |"
        f" {done.api_calls} | {done.status} | {done.seconds:.0f} | {broken} | {cut} |"
        f" {len(streamed)} | {done.tokens:,} | {reason} |"
    )
    print(row, flush=True)
    return row, bool(broken or is_over or not has_class or is_unheard)


def _prepared(folder: Path) -> Workspace:
    workspace = Workspace.create(folder / "demo.toolplanner")
    progress = Progress()
    fill_demo_workspace(workspace, progress=progress)
    embed(workspace, "lsa", progress=progress)
    lay_out(workspace, method="pca", progress=progress)
    return workspace


def _write(asked: Sequence[str], rows: Sequence[str]) -> None:
    """What is known so far: a run that is stopped half-way has its table, too."""
    told = [f"{NAME} behind llama.cpp's server, {SPEC}.", "", ASKED, *asked, "", HEAD, *rows]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "real_model.md").write_text("\n".join(told) + "\n", encoding="utf-8")


def _lines_before() -> tuple[list[str], list[str]]:
    """The rows that the file holds: of what was asked, and of runs."""
    path = RESULTS / "real_model.md"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    asked, _, rows = text.partition(ASKED)[2].partition(HEAD)
    return asked.strip().splitlines(), rows.strip().splitlines()


def _work(chosen: argparse.Namespace, folder: Path) -> int:
    asked: list[Asked] = []
    if not chosen.runs_only:
        asked = asyncio.run(_all_questions(_harvest()))
    save_settings(Settings(endpoint=EndpointSettings(stream=True)))
    lines, rows = _lines_before() if chosen.add else ([], [])
    wrong = 0
    with _prepared(folder) as workspace:
        asked.append(asyncio.run(_cancelled(workspace)))
        lines += [f"| {each.what} | {each.outcome} | {each.is_broken or ''} |" for each in asked]
        _write(lines, rows)
        queries = {case.id: case.query for case in demo_cases()}
        for case in chosen.cases:
            for strategy in chosen.strategies or [plugin.id for plugin in strategies]:
                row, is_wrong = asyncio.run(
                    _solve(workspace, strategy, case, queries[case], chosen.calls)
                )
                rows.append(row)
                wrong += is_wrong
                _write(lines, rows)
    wrong += sum(each.is_broken for each in asked)
    print(f"Rules broken: {wrong}. Written to {RESULTS / 'real_model.md'}")
    return 1 if wrong else 0


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", nargs="*", choices=CASES, default=CASES)
    parser.add_argument("--calls", type=int, default=15, help="model calls of one run at most")
    parser.add_argument("--strategies", nargs="*", help="those alone, by id")
    parser.add_argument("--runs-only", action="store_true", help="no questions one by one")
    parser.add_argument("--add", action="store_true", help="keep what the file holds")
    chosen = parser.parse_args()
    if reason := reason_to_skip():
        print(f"The model cannot run here: {reason}")
        return 1
    with tempfile.TemporaryDirectory() as folder, serving() as url:
        # A person of its own: nothing of yours is read or changed.
        os.environ |= {
            "HOME": folder,
            "TOOLPLANNER_SETTINGS": f"{folder}/settings.json",
            "OPENAI_BASE_URL": url,
        }
        return _work(chosen, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
