"""Nothing is changed twice in a run without a person's yes: what is the same, and who is asked."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from fixtures.http_world import HttpWorld
from fixtures.mcp_world import RawServer, write_config
from fixtures.own_strategy import own_strategy
from fixtures.rough_site import HttpSite, WebAnswer, moved
from fixtures.scripted_run import ScriptedModel, api_finder, make_parts
from fixtures.vendors import allow_all_at, vendor_api, vendor_kits

from toolplanner_core.approvals import add_approval
from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.approval import Approval, ApprovalScope
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import REPEATED, Effect, Observation
from toolplanner_core.prompts.render import observation_text
from toolplanner_core.providers.mcp import McpProvider, McpProviderOptions
from toolplanner_core.providers.provider import CallLimits
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import EngineThread, run
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.sources.import_preview import preview_source
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.toolkits.plan_nodes import STEP
from toolplanner_core.workspace import Workspace

from .test_policy import Person, allow

GOOD, ORDER = WebAnswer({"ok": True}), {"order": 1}
Work = Callable[[RunScope], Awaitable[list[Observation]]]


class Shop:
    """Vendors, and a run of a test's own over them.

    Attributes:
        patience_s: for each call.
    """

    def __init__(
        self, workspace: Workspace, folder: Path, site: HttpSite, silent: socket.socket
    ) -> None:
        self.workspace, self.site = workspace, site
        self.kits = vendor_kits(site.origin)
        self.alpha, self.beta, self.gamma = (api for kit in self.kits.values() for api in kit)
        self.gone = f"http://127.0.0.1:{silent.getsockname()[1]}"
        self._world = HttpWorld(folder / "keys.json", [site.origin, self.gone])
        self.seen: list[Observation] = []
        self.patience_s = 60.0
        for vendor in ("alpha", "beta", "gamma"):
            site.on(f"/{vendor}/pay", GOOD)

    @property
    def asked(self) -> list[str]:
        return [each.path.split("/")[1] for each in self.site.asked]

    def run(
        self, work: Work, *decisions: Any, query: str = "Pay it", provider: Any = None
    ) -> RunSummary:
        """Run it; decisions are a person's at each stop, without any nobody is there."""

        async def solve(scope: RunScope) -> str:
            self.seen = await work(scope)
            return ""

        parts = make_parts(
            self.kits, ScriptedModel(), provider or self._world.provider(),
            strategy=own_strategy(solve), touches_world=True,
            call_limits=CallLimits(timeout_s=self.patience_s),
        )  # fmt: skip
        spec = RunSpec(query=query, strategy="own")
        if not decisions:
            return asyncio.run(run(self.workspace, spec, parts=parts))
        self.person = Person(*decisions)
        with EngineThread(self.workspace) as engine:
            company = {"parts": parts, "debugger": self.person.debugger}
            return engine.start(spec, **company).result(60)

    def call(self, *calls: tuple[Api, dict[str, Any]]) -> Work:
        async def work(scope: RunScope) -> list[Observation]:
            return [await scope.call(api, arguments) for api, arguments in calls]

        return work


@pytest.fixture
def shop(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "person" / "settings.json"))
    with HttpSite() as site, socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # nobody listens there, and nobody else takes it
        made = Shop(workspace, tmp_path, site, silent)
        for origin in (site.origin, made.gone):
            allow_all_at(origin)
        yield made


def test_call_when_it_is_the_same_again_then_its_first_reply_and_the_model_is_told(
    shop: Shop,
) -> None:
    work = shop.call((shop.alpha, ORDER), (shop.alpha, ORDER), (shop.alpha, {"order": 2}))
    done = shop.run(work)
    assert shop.asked == ["alpha", "alpha"], "another order is another thing"
    first, again, _ = shop.seen
    assert (again.ok, again.value, again.origin) == (True, first.value, REPEATED)
    assert observation_text(again).startswith("Not sent a second time.")
    assert done.api_calls == 2
    node = load_tree(shop.workspace, done.run).nodes["call.2"]
    assert (node.title, node.reason) == (shop.alpha.title, "not sent again: the first reply")

    async def repeat(scope: RunScope) -> str:
        await work(scope)
        return ""

    find = api_finder(shop.kits)
    report = replay(shop.workspace, done.run, strategy=own_strategy(repeat), api_of=find)
    assert report.identical, report.divergence


@pytest.mark.parametrize("answer", [GOOD, WebAnswer({}), WebAnswer([]), WebAnswer(status=204)])
def test_call_of_another_vendor_when_it_is_done_then_a_person_is_asked_whatever_leave_there_is(
    shop: Shop, answer: WebAnswer
) -> None:
    shop.site.on("/alpha/pay", answer)
    pay_both = shop.call((shop.alpha, ORDER), (shop.beta, ORDER))
    shop.run(pay_both)
    assert shop.asked == ["alpha"]
    assert shop.seen[0].ok and shop.seen[0].effect is Effect.DONE
    assert "alpha · pay has done this before, in this run, and nobody" in shop.seen[1].message
    shop.run(pay_both, allow("once"))
    assert shop.asked == ["alpha", "alpha", "beta"]
    stop = shop.person.stops[0]
    assert (stop.warning, [each.id for each in stop.alternatives]) == (
        "alpha · pay has done this before, in this run.",
        ["once"],
    )


def test_call_when_nobody_knows_whether_it_was_done_then_it_is_said_and_only_a_person_repeats_it(
    shop: Shop,
) -> None:
    shop.site.on("/alpha/pay", shop.site.reset)
    calls = (shop.alpha, ORDER), (shop.alpha, ORDER), (shop.alpha, {}), (shop.gamma, ORDER)
    done = shop.run(shop.call(*calls))
    assert shop.asked == ["alpha"]
    first, *others = shop.seen
    assert "nobody knows whether it was done: it is not sent again by itself" in first.message
    assert all("and nobody is there to allow it" in each.message for each in others[:1])
    node = load_tree(shop.workspace, done.run).nodes["call.1"]
    assert node.state is NodeState.IN_DOUBT
    shop.run(shop.call(*calls), *[allow("once")] * 3)
    assert shop.asked == ["alpha"] * 3 + ["gamma"]


@pytest.mark.parametrize(
    ("answer", "is_known"),
    [
        (WebAnswer({"message": "no"}, 400), True),
        (WebAnswer({"message": "no"}, 429), True),
        (WebAnswer({"error": "the card is refused"}), True),
        (WebAnswer({"message": "busy"}, 503), True),
        (WebAnswer({"message": "broken"}, 500), False),
        (WebAnswer({"message": "late"}, 504), False),
        (WebAnswer(b'{"paid": tr'), False),
        (moved("http://169.254.169.254/receipt"), False),
        (HttpSite.never, False),
    ],
)
def test_call_when_it_failed_then_another_vendor_is_free_only_where_nothing_was_done_for_sure(
    shop: Shop, answer: Any, is_known: bool
) -> None:
    is_silence = answer is HttpSite.never
    shop.site.on("/alpha/pay", shop.site.never if is_silence else answer)
    # More where a busy machine had not even sent the call by then.
    for shop.patience_s in (1.0, 10.0, 100.0) if is_silence else (60.0,):
        shop.run(shop.call((shop.alpha, ORDER), (shop.beta, ORDER)))
        if shop.asked:
            break
    assert not shop.seen[0].ok
    assert (shop.asked[-1] == "beta") is is_known
    assert shop.seen[0].effect is (Effect.NONE if is_known else Effect.UNKNOWN)


def test_call_when_nobody_listens_then_another_vendor_is_free(shop: Shop) -> None:
    closed = shop.kits["Pay"][0] = vendor_api(shop.gone, "alpha")
    shop.run(shop.call((closed, ORDER), (shop.beta, ORDER)))
    assert [each.ok for each in shop.seen] == [False, True], shop.seen[0].message


def test_call_when_it_is_another_thing_then_it_is_sent(shop: Shop) -> None:
    named = shop.call((shop.alpha, ORDER), (shop.beta, ORDER))
    shop.run(named, query="Pay order 1 with alpha and with beta")
    shop.run(shop.call((shop.alpha, ORDER), (shop.beta, {"order": 2})))
    cancel = vendor_api(
        shop.site.origin, "alpha", name="cancel", risk=Risk.DESTRUCTIVE, id="cancel"
    )
    shop.kits["Pay"].append(cancel)
    shop.run(shop.call((shop.alpha, ORDER), (cancel, ORDER)))
    assert shop.asked == ["alpha", "beta"] * 2 + ["alpha", "alpha"]


def test_steps_when_their_goal_is_the_same_then_other_values_are_the_same_thing(
    shop: Shop,
) -> None:
    async def work(scope: RunScope) -> list[Observation]:
        seen: list[Observation] = []
        for number, api in enumerate((shop.alpha, shop.gamma), start=1):
            async with scope.node(STEP, number, "Pay", data={"goal": "Pay the order"}):
                seen.append(await scope.call(api, {"order": number}))
        return seen

    shop.run(work)
    assert shop.asked == ["alpha"]


def test_agents_when_they_pay_at_the_same_time_then_one_does(shop: Shop) -> None:
    async def work(scope: RunScope) -> list[Observation]:
        def agent(number: int, api: Api) -> Any:
            async def go() -> Observation:
                async with scope.node(STEP, number, "Agent"):
                    return await scope.call(api, ORDER)

            return go

        agents = [agent(n, api) for n, api in enumerate((shop.alpha, shop.beta, shop.alpha), 1)]
        return [each for each in await scope.gather(*agents) if isinstance(each, Observation)]

    shop.run(work)
    assert len(shop.asked) == 1
    assert sum(each.ok for each in shop.seen) == 2, "the third gets the first reply"


def test_post_when_it_only_searches_then_others_are_asked_and_leave_is_needed_all_the_same(
    shop: Shop,
) -> None:
    more = {"name": "hotelSearch", "description": "Hotels of a place"}
    kits = [vendor_api(shop.site.origin, vendor, **more) for vendor in ("alpha", "beta")]
    shop.kits["Hotels"] = kits
    shop.site.on("/alpha/pay", WebAnswer({"results": []}))
    shop.run(shop.call(*[(api, ORDER) for api in kits]))
    assert shop.asked == ["alpha", "beta"]
    assert [each.ok for each in shop.seen] == [False, True]
    assert kits[0].risk is Risk.WRITE


@pytest.mark.parametrize("manner", ["crashes-calls", ""])
def test_tool_of_a_server_when_it_wrote_or_died_then_that_of_another_needs_a_word(
    shop: Shop, tmp_path: Path, manner: str
) -> None:
    servers = [
        RawServer(tmp_path, *filter(None, [manner]), name=name) for name in ("first", "second")
    ]
    config = write_config(tmp_path, **{server.spec.name: server.entry for server in servers})
    tools = [api for api in preview_source(config).first if api.name == "store"]
    shop.kits["Store"] = tools
    for tool in tools:
        assert tool.risk is Risk.WRITE
        add_approval(
            Approval(allows=True, scope=ApprovalScope.API, value=tool.id, title=tool.title)
        )
    work = shop.call(*[(tool, {"text": "x"}) for tool in tools])
    shop.run(work, provider=McpProvider(McpProviderOptions()))
    assert shop.seen[0].effect is (Effect.UNKNOWN if manner else Effect.DONE), shop.seen[0].message
    assert [len(server.heard("tools/call")) for server in servers] == [1, 0]
