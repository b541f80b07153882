"""The gold paths of 100 RestBench and 80 AutoTools queries as programs in the sandbox, over HTTP.

A script writes the programs: this tests the runner. Then all of TMDB's endpoints are probed and
what was found is compared with their document. Quick: a quarter of the queries;
TOOLPLANNER_BENCH=1: all, and once more against Stoplight Prism, a server that we did not write: it
validates each request against the same document and replies with its examples. Where AutoTools'
endpoints do not fit together is written to `results/autotools_mismatches.md`.
"""

import asyncio
import http.client
import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from fixtures.gold_programs import ExampleServer, autotools, gold_program, tmdb
from fixtures.http_world import HttpWorld
from fixtures.prism import install_prism, served
from fixtures.scripted_run import ScriptedModel, make_parts

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.operation import Operation, RequestPart
from toolplanner_core.domain.plan import NOT_REFUTED
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.keys import ANY_SCHEME
from toolplanner_core.probing.schemas import compare_schemas
from toolplanner_core.probing.stored_protocols import list_protocols
from toolplanner_core.prompts.probing import Protocols
from toolplanner_core.providers.http import HttpOptions
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.call import CallSent
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.location import Location
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid

pytestmark = [pytest.mark.benchmark_real, pytest.mark.slow, pytest.mark.timeout(900)]
LONG = os.environ.get("TOOLPLANNER_BENCH") == "1"
EVERY = 1 if LONG else 4
OFFERED = 20
MISMATCHES = Path(__file__).parent / "results" / "autotools_mismatches.md"
LIMITS = Limits(max_model_calls=None, max_api_calls=None, max_seconds=None)


@pytest.fixture(scope="module")
def mismatches_by_set() -> Iterator[dict[str, tuple[int, list[str]]]]:
    """Endpoints and what does not fit together, by set; the list is written at the end."""
    found: dict[str, tuple[int, list[str]]] = {}
    yield found
    lines = ["# What does not fit together in the endpoints of AutoTools", ""]
    lines += ["| set | endpoints | with a mismatch | mismatches |", "|---|---|---|---|"]
    for name, (endpoints, wrong) in found.items():
        touched = len({each.partition(":")[0] for each in wrong})
        lines.append(f"| {name} | {endpoints} | {touched} | {len(wrong)} |")
    for name, (_, wrong) in found.items():
        lines += ["", f"## {name}", "", *(f"- {each}" for each in wrong)]
    MISMATCHES.parent.mkdir(exist_ok=True)
    MISMATCHES.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def site() -> Iterator[ExampleServer]:
    made = ExampleServer()
    with made:
        yield made


def imported(workspace: Workspace, document: Any, folder: Path) -> list[Api]:
    file = folder / "document.json"
    file.write_text(json.dumps(document), "utf-8")
    import_source(workspace, Location.of(file), progress=Progress())
    return [*apis_by_rowid(workspace, all_rowids(workspace)).values()]


def world_of(site: ExampleServer, folder: Path) -> HttpWorld:
    world = HttpWorld(folder / "keys.json", [site.origin])
    world.key(site.origin, "api_key", "a key of a test")
    return world


def place_of(place: str) -> str:
    """A method and path without the names of parameters: gold paths name some otherwise."""
    return re.sub(r"\{\w+\}", "{}", place.strip())


def share_that_runs(
    workspace: Workspace, apis: list[Api], paths: Sequence[Sequence[Api]], world: HttpWorld
) -> float:
    """Share of gold paths whose program runs to its end and makes exactly their calls."""
    went = 0
    others_because = Counter[str]()
    for path in paths:
        others = [api for api in apis if api not in path]
        offered = [*dict.fromkeys(api.id for api in path)]
        chosen = [next(a for a in apis if a.id == each) for each in offered]
        chosen += others[: OFFERED - len(chosen)]
        named = {each.api.id: each for each in Protocols(chosen).by_name.values()}
        program = gold_program([named[api.id] for api in path])
        model = ScriptedModel(answers={"write_program": [{"program": program}]})
        parts = make_parts(
            {"All": chosen}, model, world.provider(), strategy=strategies.get("atc"), revisions=0,
            touches_world=True,
        )  # fmt: skip
        spec = RunSpec(query="gold", strategy="atc", limits=LIMITS)
        done = asyncio.run(run(workspace, spec, parts=parts))
        events = [record.event for record in read_run(workspace, done.run)]
        called = [event.api for event in events if isinstance(event, CallSent)]
        if done.status in NOT_REFUTED and called == [api.id for api in path]:
            went += 1
        else:
            last = next((api.name for api in path if api.id in called[-1:]), "no call")
            others_because[f"{last}: {done.reason}"] += 1
    for why, times in others_because.most_common():
        print(f"not run, {times} times: {why}", file=sys.stderr)
    return went / len(paths)


def test_gold_paths_of_restbench_when_run_as_programs_then_all_make_their_calls(
    workspace: Workspace, site: ExampleServer, shared_data: Path, tmp_path: Path
) -> None:
    document, queries = tmdb(shared_data)
    apis = imported(workspace, site.serve(document), tmp_path)
    operations = [(api, api.operation) for api in apis if api.operation]
    by_place = {place_of(f"{how.method} {how.path}"): api for api, how in operations}
    paths = [[by_place[place_of(each)] for each in q["solution"]] for q in queries[::EVERY]]
    share = share_that_runs(workspace, apis, paths, world_of(site, tmp_path))
    print(f"RestBench: {share:.0%} of {len(paths)} gold programs run", file=sys.stderr)
    assert share == 1


@pytest.mark.parametrize("api_set", ["food", "music", "tmdb", "weather"])
def test_gold_paths_of_autotools_when_run_as_programs_then_all_make_their_calls(
    workspace: Workspace,
    site: ExampleServer,
    shared_data: Path,
    tmp_path: Path,
    *,
    mismatches_by_set: dict[str, tuple[int, list[str]]],
    api_set: str,
) -> None:
    document, mismatches, gold = autotools(shared_data, api_set)
    apis = imported(workspace, site.serve(document), tmp_path)
    by_name = {api.name: api for api in apis}
    missing = {name for path in gold for name in path} - set(by_name)
    unknown = [f"{name}: a gold path names it, no endpoint does" for name in sorted(missing)]
    mismatches_by_set[api_set] = (len(apis), [*mismatches, *unknown])
    paths = [[by_name[name] for name in path] for path in gold if not missing & set(path)][::EVERY]
    world = world_of(site, tmp_path)
    share = share_that_runs(workspace, apis, paths, world)
    print(
        f"AutoTools {api_set}: {share:.0%} of {len(paths)} gold programs run,"
        f" {len(apis)} endpoints, {len(mismatches)} mismatches,"
        f" gold names without endpoint: {len(missing)}",
        file=sys.stderr,
    )
    assert share == 1


@pytest.fixture(scope="module")
def prism(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prism: the one that is installed, in the long form else one from npm."""
    if (there := shutil.which("prism")) is not None:
        return Path(there)
    if not LONG:
        pytest.skip("Prism is not installed; TOOLPLANNER_BENCH=1 gets it from npm")
    if shutil.which("npm") is None:
        pytest.skip("there is no npm to get Prism from")
    return install_prism(tmp_path_factory.mktemp("npm"))


@pytest.mark.parametrize("api_set", ["restbench", "food", "music", "tmdb", "weather"])
def test_gold_paths_when_run_against_a_server_of_others_then_they_make_their_calls(
    workspace: Workspace, shared_data: Path, tmp_path: Path, prism: Path, *, api_set: str
) -> None:
    if api_set == "restbench":
        document, queries = tmdb(shared_data)
        gold = [[place_of(each) for each in query["solution"]] for query in queries]
    else:
        document, _, gold = autotools(shared_data, api_set)
    apis = imported(workspace, document, tmp_path)
    known = {api.name: api for api in apis}
    known |= {place_of(f"{a.operation.method} {a.operation.path}"): a for a in apis if a.operation}
    paths = [[known[name] for name in path] for path in gold if known.keys() >= {*path}][::EVERY]
    with served(prism, tmp_path / "document.json") as (port, process):
        assert port is not None, "Prism does not load the document"
        origin = f"http://127.0.0.1:{port}"
        world = HttpWorld(tmp_path / "keys.json", [origin])
        world.options = HttpOptions(per_second=0, base_url=origin)
        world.key(origin, ANY_SCHEME, "user:a-key")
        share = share_that_runs(workspace, apis, paths, world)
        assert process.poll() is None, "Prism has ended"
        asked = [how for api in apis if (how := api.operation) and asks_in_query(api)]
        print(f"{len(asked)} of {len(apis)} need something in the query", file=sys.stderr)
        assert all(is_refused(origin, how) for how in asked[:5])
    print(f"Prism, {api_set}: {share:.1%} of {len(paths)} gold programs run", file=sys.stderr)
    assert share == 1


def asks_in_query(api: Api) -> bool:
    """Whether it cannot be called without something in the query."""
    places = api.operation.places if api.operation else {}
    required: list[str] = api.parameters.get("required", [])
    return any(places[name].within is RequestPart.QUERY for name in required if name in places)


def is_refused(origin: str, how: Operation) -> bool:
    """Whether the server refuses a request that lacks what must be in the query."""
    path = re.sub(r"\{\w+\}", "1", how.path)
    host = http.client.HTTPConnection(origin.removeprefix("http://"), timeout=30)
    host.request("GET", path, headers={"Authorization": "Bearer a-key"})
    status = host.getresponse().status
    host.close()
    return status in (401, 422)


def test_endpoints_when_probed_then_the_fields_of_their_document_are_found(
    workspace: Workspace, site: ExampleServer, shared_data: Path, tmp_path: Path
) -> None:
    document, _ = tmdb(shared_data)
    apis = imported(workspace, site.serve(document), tmp_path)[: 54 if EVERY == 1 else 40]

    def probe(request: Any) -> Any:
        text = request.question.protocols[0]
        [named] = [p for p in Protocols(apis).by_name.values() if p.text() == text]
        return {"question": "?", "program": gold_program([named])}

    model = ScriptedModel(answers={"probe_api": [probe] * len(apis)})
    world = world_of(site, tmp_path)
    parts = make_parts(
        {"All": apis}, model, world.provider(), strategy=strategies.get("probe"), rounds=0,
        tries=1, touches_world=True,
    )  # fmt: skip
    spec = RunSpec(query=" ".join(api.id for api in apis), strategy="probe", limits=LIMITS)
    asyncio.run(run(workspace, spec, parts=parts))
    schemas = {api.id: api.response_schema or {} for api in apis}
    found = [kept.protocol for kept in list_protocols(workspace)]
    compared = [compare_schemas(schemas[each.api], each.returns) for each in found]
    same = sum(len(each.same) for each in compared)
    other = sum(len(each.other_type) for each in compared)
    more = sum(len(each.only_found) for each in compared)
    fields = same + other + more
    print(
        f"probed {len(found)} of {len(apis)}: {fields} fields, {same / fields:.1%} as documented,"
        f" {other} of another type, {more} not documented",
        *[d for each in compared for d in each.other_type][:8],
        sep="\n  ",
        file=sys.stderr,
    )
    assert len(found) == len(apis)
    assert same / fields >= 0.9
