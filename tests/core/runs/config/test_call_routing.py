"""Who serves whom: routes by source, several providers in one run."""

import asyncio
import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, unquote

import pytest
from fixtures.http_world import http_api
from fixtures.rough_site import HttpSite, WebAnswer
from fixtures.scripted_run import (
    QuickClock,
    ScriptedModel,
    ScriptedProvider,
    make_api,
    make_parts,
    ok,
)

from toolplanner_core.cli.app import run_command_line
from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.domain.operation import (
    Operation,
    Origin,
    RequestPart,
    SchemeKind,
    SecurityScheme,
)
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.keys import KeyName, person_keys
from toolplanner_core.net.addresses import allow_origin, forbid_origin
from toolplanner_core.providers.provider import CallLimits
from toolplanner_core.providers.routes import routes_of, set_route, usual_providers
from toolplanner_core.runs.config.call_routing import ServingProvider, call_routing
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.call import CallSent
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.tool_planner import ToolPlannerOptions
from toolplanner_core.workspace import Workspace


@pytest.fixture
def site() -> Iterator[HttpSite]:
    with HttpSite() as made:
        allow_origin(Origin.of(made.origin))
        yield made
        forbid_origin(Origin.of(made.origin))


def fill(workspace: Workspace, formats: Mapping[str, str], **fields: Any) -> None:
    """A source of one API for each name, in the format that it says."""
    for number, (source, format_id) in enumerate(formats.items()):
        operation = fields.get("operation")
        api = http_api(operation, id=ApiId(f"{number:016}"), source=source, key=source)
        import_apis(workspace, [api], source_name=source, format_id=format_id, location="a test")


def test_routes_when_nobody_chose_then_by_format_or_the_workspaces_default(
    workspace: Workspace,
) -> None:
    fill(workspace, {"a": "functions", "b": "gone"})
    assert [(r.source, r.provider, r.is_chosen) for r in routes_of(workspace)] == [
        ("a", "simulated", False),
        ("b", "simulated", False),
    ]
    assert call_routing(workspace, RunSpec(query="q")).name == "simulated"


def test_routes_when_a_format_says_who_can_call_it_then_so(workspace: Workspace) -> None:
    fill(workspace, {"a": "openapi", "b": "mcp", "c": "functions"})
    assert [r.provider for r in routes_of(workspace)] == ["http", "mcp", "simulated"]
    assert usual_providers(workspace) == ["http", "mcp", "simulated"]


def test_command_when_a_route_is_set_then_listed(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(workspace, {"a": "functions"})
    path = str(workspace.path)
    given = ["--provider", "http", "--base-url", "http://localhost:9"]
    assert run_command_line(["routes", "set", path, "a", *given]) == 0
    capsys.readouterr()
    assert run_command_line(["routes", "list", path, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["provider"], row["base_url"]) == ("http", "http://localhost:9")


def test_route_when_chosen_then_kept_and_taken_back(workspace: Workspace) -> None:
    fill(workspace, {"a": "functions"})
    set_route(workspace, "a", provider="http", base_url="http://localhost:9/v1")
    (route,) = routes_of(workspace)
    assert (route.provider, route.base_url) == ("http", "http://localhost:9/v1")
    set_route(workspace, "a", provider="")
    assert [route.provider for route in routes_of(workspace)] == ["simulated"]
    assert routes_of(workspace)[0].base_url == "http://localhost:9/v1"
    with pytest.raises(NotFound):
        set_route(workspace, "a", provider="nobody")
    with pytest.raises(NotFound):
        set_route(workspace, "z", provider="http")
    with pytest.raises(BadInput):
        set_route(workspace, "a", base_url="file:///x")


def test_run_when_sources_have_several_providers_then_each_has_its_own(
    workspace: Workspace, site: HttpSite
) -> None:
    site.on("/a", WebAnswer({"n": 1}))
    fill(
        workspace,
        {"real": "functions", "made_up": "functions"},
        operation=Operation(method="POST", servers=(site.origin,), path="/a"),
    )
    set_route(workspace, "real", provider="http")
    serving = call_routing(
        workspace, RunSpec(query="q", provider_options={"retries": 4, "seed": 3})
    )
    assert serving.name == "auto"
    real, made_up = serving.routes["real"], serving.routes["made_up"]
    assert (real.name, real.touches_world, real.retries) == ("http", True, 4)
    assert (made_up.name, made_up.touches_world) == ("simulated", False)

    async def call_both() -> list[RawResult]:
        found: list[RawResult] = []
        for number, served in enumerate((real, made_up)):
            api = http_api(
                Operation(method="GET", servers=(site.origin,), path="/a"),
                id=ApiId(f"{number:016}"),
                source=("real", "made_up")[number],
            )
            found.append(await served.provider.call(api, {}, CallLimits()))
            await served.provider.close()
        return found

    first, second = asyncio.run(call_both())
    assert (first.origin, json.loads(first.body)) == ("http", {"n": 1})
    assert second.origin == "simulated"
    with pytest.raises(BadInput, match="nonsense"):
        call_routing(workspace, RunSpec(query="q", provider_options={"nonsense": 1}))


def test_run_when_it_calls_two_sources_then_each_call_names_who_served_it(
    workspace: Workspace,
) -> None:
    first, second = ScriptedProvider({"a_1": ok(1)}), ScriptedProvider({"b_1": ok(2)})
    real = replace(make_api("b_1", risk=Risk.WRITE), source="real")

    async def solve(task: Task, run: RunScope, options: Any) -> Answer:
        values = [await run.call(make_api("a_1", risk=Risk.WRITE), {}), await run.call(real, {})]
        return Answer(text=f"{[each.error for each in values]}", solved=True)

    strategy = StrategyPlugin(
        id="both", title="", description="", options=ToolPlannerOptions, solve=solve
    )
    parts = make_parts({}, ScriptedModel(), first, strategy=strategy)
    routes = {"real": ServingProvider(provider=second, name="http", touches_world=True)}
    parts = replace(parts, outside=replace(parts.outside, routes=routes))
    summary = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts, clock=QuickClock()))
    # Nothing can happen outside in the first one, and nobody is there to allow the second.
    assert summary.answer == "[None, <ErrorClass.BLOCKED_BY_POLICY: 'blocked_by_policy'>]"
    events = [record.event for record in read_run(workspace, summary.run)]
    assert [e.provider for e in events if isinstance(e, CallSent)] == ["scripted"]
    assert (len(first.calls), len(second.calls)) == (1, 0)


@pytest.mark.parametrize("within", [RequestPart.HEADER, RequestPart.QUERY, RequestPart.COOKIE])
def test_key_when_the_server_repeats_it_everywhere_then_nowhere_in_the_file(
    workspace: Workspace, site: HttpSite, within: RequestPart, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "canary/of a key+7=="
    forms = [secret, quote(secret, safe=""), base64.b64encode(secret.encode()).decode()]
    said = {"X-RateLimit-Note": forms[0], "Location": f"{site.origin}/?k={forms[1]}"}
    site.on("/a", WebAnswer({"echo": forms, forms[2]: 1}, headers=said), WebAnswer(forms, 500))
    key = SecurityScheme(name="main", kind=SchemeKind.KEY, within=within, parameter="X-Key")
    api = http_api(Operation(method="GET", servers=(site.origin,), path="/a", security=((key,),)))

    async def solve(task: Task, run: RunScope, options: Any) -> Answer:
        first, second = await run.call(api, {}), await run.call(api, {})
        assert first.ok, first.message
        return Answer(text=f"{first.value} {second.message}", solved=True)

    strategy = StrategyPlugin(
        id="both", title="", description="", options=ToolPlannerOptions, solve=solve
    )
    fill(workspace, {"shop": "openapi"})
    spec = RunSpec(query="q")
    name = KeyName(Origin.of(site.origin), "main")
    person_keys().save(name, secret)
    try:
        served = call_routing(workspace, spec).usual
        parts = make_parts({}, ScriptedModel(), served.provider, strategy=strategy)
        with caplog.at_level("DEBUG"):
            asyncio.run(run(workspace, spec, parts=parts, clock=QuickClock()))
    finally:
        person_keys().delete(name)
    assert len(site.asked) == 2
    assert forms[0] in unquote(repr(site.asked))
    written = b"".join(file.read_bytes() for file in workspace.path.parent.iterdir())
    assert b"echo" in written
    for form in forms:
        assert form.encode() not in written
        assert form not in caplog.text
