"""The gate: what is refused, what is repeated, what is written before it leaves."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from fixtures.scripted_run import (
    QuickClock,
    ScriptedModel,
    ScriptedProvider,
    bad,
    make_api,
    make_parts,
    ok,
    transient,
)

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import Observation, RawResult
from toolplanner_core.domain.plan import Answer, Status, Task
from toolplanner_core.llm.model import ModelError
from toolplanner_core.prompts.analyse import Analyse
from toolplanner_core.providers.provider import CallLimits
from toolplanner_core.runs.config.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.stages.arguments import ArgumentStage
from toolplanner_core.strategies.interface.scope import ModelGaveUp, RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.tool_planner import ToolPlannerOptions
from toolplanner_core.workspace import Workspace

QUESTION = Analyse(query="q", goal="g", api_title="t", value=1)
NETWORK = RawResult(status=None, body="", failure=ErrorClass.NETWORK, origin="scripted")
Body = Callable[[RunScope], Awaitable[Any]]


@dataclass
class Done:
    summary: RunSummary
    records: list[Record]
    value: Any
    clock: QuickClock

    def types(self) -> list[str]:
        return [record.event.type for record in self.records]


def through_gate(
    workspace: Workspace,
    body: Body,
    *,
    model: Any = None,
    provider: Any = None,
    limits: Limits | None = None,
    **parts: Any,
) -> Done:
    """Run a strategy that consists of `body` alone."""
    found: list[Any] = []

    async def solve(task: Task, run: RunScope, options: Any) -> Answer:
        found.append(await body(run))
        return Answer(text="", solved=True)

    strategy = StrategyPlugin(
        id="body", title="", description="", options=ToolPlannerOptions, solve=solve
    )
    made = make_parts(
        {},
        model or ScriptedModel(),
        provider or ScriptedProvider(),
        strategy=strategy,
        **parts,
    )
    clock = QuickClock()
    spec = RunSpec(query="q", limits=limits or Limits())
    summary = asyncio.run(run(workspace, spec, parts=made, clock=clock))
    value = found[0] if found else None
    return Done(summary, read_run(workspace, summary.run), value, clock)


def schema(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


@pytest.mark.parametrize(
    ("parameters", "arguments", "error", "words"),
    [
        (schema("a", a={"type": "string"}), {}, "missing_parameter", '"a" is missing'),
        (schema(a={"type": "integer"}), {"a": "x"}, "wrong_format", "not of type integer"),
        (schema(a={"enum": ["x", "y"]}), {"a": "z"}, "invalid_parameter", "not one of"),
        (schema(a={"type": "integer", "maximum": 3}), {"a": 9}, "invalid_parameter", "maximum"),
        (schema(a={"type": "string"}), {"b": 1}, "invalid_parameter", 'no parameter "b"'),
        (
            schema(a={"type": "object", "required": ["c"]}),
            {"a": {}},
            "missing_parameter",
            "'c' is a required property",
        ),
    ],
)
def test_call_when_arguments_do_not_fit_then_refused_and_not_sent(
    workspace: Workspace, parameters: Any, arguments: Any, error: str, words: str
) -> None:
    api = make_api("a_1", parameters=parameters)
    provider = ScriptedProvider()
    done = through_gate(workspace, lambda run: run.call(api, arguments), provider=provider)
    assert isinstance(done.value, Observation)
    assert (done.value.ok, done.value.error) == (False, error)
    assert words in done.value.message
    assert provider.calls == []
    assert done.types() == ["run.started", "call.refused", "run.finished"]
    assert done.summary.api_calls == 0


@pytest.mark.parametrize(
    "parameters",
    [
        schema(a={"type": "datum"}),
        schema(a={"$ref": "#/definitions/none"}),
        {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}},
    ],
)
def test_arguments_when_the_schema_is_broken_then_the_call_goes_through(parameters: Any) -> None:
    stage = ArgumentStage(log=None)  # pyright: ignore[reportArgumentType] - not used by `check`
    assert stage.check(make_api("a_1", parameters=parameters), {"a": "x"}) is None


@pytest.mark.parametrize("risk", [Risk.WRITE, Risk.DESTRUCTIVE])
def test_call_when_it_may_change_the_world_then_blocked(workspace: Workspace, risk: Risk) -> None:
    provider = ScriptedProvider()
    done = through_gate(
        workspace,
        lambda run: run.call(make_api("a_1", risk=risk), {}),
        provider=provider,
        touches_world=True,
    )
    assert done.value.error is ErrorClass.BLOCKED_BY_POLICY
    assert provider.calls == []


def test_call_when_provider_touches_nothing_then_writing_is_allowed(workspace: Workspace) -> None:
    done = through_gate(workspace, lambda run: run.call(make_api("a_1", risk=Risk.WRITE), {}))
    assert done.value.ok


def test_call_when_sent_then_intent_is_on_disk_before_the_provider_is_asked(
    workspace: Workspace,
) -> None:
    seen: list[list[str]] = []

    def reply(arguments: Any) -> RawResult:
        rows = workspace.reader().execute("SELECT type FROM events ORDER BY seq").fetchall()
        seen.append([row[0] for row in rows])
        return ok(1)

    through_gate(
        workspace,
        lambda run: run.call(make_api("a_1", risk=Risk.WRITE), {}),
        provider=ScriptedProvider({"a_1": reply}),
    )
    assert seen == [["run.started", "call.sent"]]


@pytest.mark.parametrize(
    ("risk", "replies", "retries", "sent"),
    [
        (Risk.READ, [NETWORK, NETWORK, ok(1)], 2, 3),
        (Risk.READ, [NETWORK, ok(1)], 0, 1),
        (Risk.WRITE, [NETWORK, ok(1)], 2, 1),
        (Risk.READ, [bad(500), ok(1)], 2, 1),
    ],
)
def test_call_when_the_network_fails_then_only_reading_is_repeated(
    workspace: Workspace, risk: Risk, replies: list[Any], retries: int, sent: int
) -> None:
    done = through_gate(
        workspace,
        lambda run: run.call(make_api("a_1", risk=risk), {}),
        provider=ScriptedProvider({"a_1": replies}),
        retries=retries,
    )
    assert done.types().count("call.sent") == sent
    assert done.value.ok is (sent == 3)
    by_type = [r for r in done.records if r.event.type in ("call.sent", "call.failed")]
    for failed, again in zip(by_type[1::2], by_type[2::2], strict=False):
        assert again.cause == failed.seq
        assert again.path == failed.path


def busy(status: int, wait: str = "") -> RawResult:
    headers = {"Retry-After": wait} if wait else {}
    return RawResult(status=status, body="{}", headers=headers, origin="scripted")


@pytest.mark.parametrize(
    ("risk", "replies", "sent"),
    [
        (Risk.READ, [busy(429, "0"), ok(1)], 2),
        (Risk.READ, [busy(503, "0"), busy(502, "0"), ok(1)], 3),
        (Risk.READ, [busy(429, "Fri, 01 Jan 2021 00:00:00 GMT"), ok(1)], 2),
        (Risk.READ, [busy(429, "3600"), ok(1)], 1),
        (Risk.WRITE, [busy(429, "0"), ok(1)], 1),
        (Risk.WRITE, [busy(503, "0"), ok(1)], 1),
        (Risk.READ, [busy(500, "0"), ok(1)], 1),
    ],
)
def test_call_when_the_server_is_busy_then_only_reading_is_repeated_when_it_says(
    workspace: Workspace, risk: Risk, replies: list[Any], sent: int
) -> None:
    provider = ScriptedProvider({"a_1": replies})
    done = through_gate(
        workspace,
        lambda run: run.call(make_api("a_1", risk=risk), {}),
        provider=provider,
        retries=2,
    )
    assert done.types().count("call.sent") == sent
    assert len(provider.calls) == sent


def test_call_when_too_slow_then_timeout(workspace: Workspace) -> None:
    async def never(arguments: Any) -> RawResult:
        await asyncio.Event().wait()
        raise AssertionError

    done = through_gate(
        workspace,
        lambda run: run.call(make_api("a_1"), {}),
        provider=ScriptedProvider({"a_1": never}),
        call_limits=CallLimits(timeout_s=0.02),
    )
    assert done.value.error is ErrorClass.TIMEOUT


def test_call_when_the_provider_breaks_then_a_failure_and_not_an_exception(
    workspace: Workspace,
) -> None:
    done = through_gate(
        workspace,
        lambda run: run.call(make_api("a_1"), {}),
        provider=ScriptedProvider({"a_1": ValueError("boom")}),
    )
    assert done.value.error is ErrorClass.SERVER_ERROR
    assert "boom" in done.value.message
    assert done.summary.status is Status.UNSOLVED, "it went on to its end, served by nothing"


def test_question_when_failures_pass_then_repeated_with_growing_waits(
    workspace: Workspace,
) -> None:
    model = ScriptedModel(
        answers={
            "analyse": [
                transient(),
                transient(),
                transient(ErrorClass.RATE_LIMITED, 7.0),
                {"useful": True, "state": "s"},
            ]
        }
    )
    done = through_gate(workspace, lambda run: run.ask(QUESTION), model=model)
    assert done.value.state == "s"
    assert done.types().count("model.asked") == 4 == done.summary.model_calls
    first, second, third = done.clock.waits
    assert 0.25 <= first <= 0.75 and 0.5 <= second <= 1.5 and third == 7.0


def test_question_when_retry_after_is_endless_then_cut(workspace: Workspace) -> None:
    model = ScriptedModel(answers={"analyse": [transient(ErrorClass.RATE_LIMITED, 9999.0)]})
    done = through_gate(workspace, lambda run: run.ask(QUESTION), model=model)
    assert done.clock.waits == [30.0]


@pytest.mark.parametrize("failure", ["lasting", "always"])
def test_question_when_no_reply_comes_then_gives_up_with_its_class(
    workspace: Workspace, failure: str
) -> None:
    lasting = ModelError(ErrorClass.UNAUTHORISED, "no key", is_transient=False)
    failures: list[Any] = [lasting] if failure == "lasting" else [transient() for _ in range(9)]
    model = ScriptedModel(answers={"analyse": failures})

    async def body(run: RunScope) -> Any:
        with pytest.raises(ModelGaveUp) as caught:
            await run.ask(QUESTION)
        return caught.value

    done = through_gate(workspace, body, model=model)
    assert done.types().count("model.asked") == (1 if failure == "lasting" else 4)
    assert done.records[done.value.seq - 1].event.type == "model.failed"


def test_question_when_answer_is_invalid_then_sent_back_with_what_is_wrong(
    workspace: Workspace,
) -> None:
    model = ScriptedModel(
        answers={"analyse": [{"useful": "perhaps"}, None, {"useful": True, "state": "s"}]}
    )
    done = through_gate(workspace, lambda run: run.ask(QUESTION), model=model)
    assert done.value.state == "s"
    last = model.asked[-1].messages
    assert [m.role for m in last[-4:]] == ["assistant", "user", "assistant", "user"]
    assert "$.useful" in last[-3].content
    asked = [r for r in done.records if r.event.type == "model.asked"]
    assert asked[1].cause is not None
    assert done.records[asked[1].cause - 1].event.type == "model.answer_rejected"
    assert len({record.path for record in asked}) == 1


def test_question_when_every_answer_is_invalid_then_gives_up_as_wrong_format(
    workspace: Workspace,
) -> None:
    model = ScriptedModel(answers={"analyse": [{"no": 1}] * 9})
    done = through_gate(workspace, lambda run: run.ask(QUESTION), model=model)
    assert done.summary.status is Status.UNSOLVED
    assert done.types().count("model.asked") == QUESTION.max_repairs + 1


def test_budget_when_tokens_are_used_up_then_next_question_is_not_sent(
    workspace: Workspace,
) -> None:
    async def body(run: RunScope) -> None:
        while True:
            await run.ask(QUESTION)

    model = ScriptedModel(tokens=900)
    done = through_gate(workspace, body, model=model, limits=Limits(max_tokens=2500))
    assert done.summary.status is Status.OVER_BUDGET
    assert len(model.asked) == 3
    assert done.summary.tokens == 2703


def test_budget_when_the_next_prompt_alone_passes_the_tokens_then_it_is_not_sent(
    workspace: Workspace,
) -> None:
    model = ScriptedModel()
    done = through_gate(
        workspace, lambda run: run.ask(QUESTION), model=model, limits=Limits(max_tokens=100)
    )
    assert done.summary.status is Status.OVER_BUDGET
    assert model.asked == []
    assert "0 are spent, and the next prompt takes about" in done.summary.reason


def test_budget_when_time_is_over_then_refused(workspace: Workspace) -> None:
    done = through_gate(
        workspace, lambda run: run.call(make_api("a_1"), {}), limits=Limits(max_seconds=0.0)
    )
    assert done.value.error is ErrorClass.OVER_BUDGET


def test_budget_when_branches_run_in_parallel_then_they_do_not_exceed_it_together(
    workspace: Workspace,
) -> None:
    provider = ScriptedProvider()

    async def body(run: RunScope) -> Any:
        return await run.gather(*[lambda: run.call(make_api("a_1"), {}) for _ in range(20)])

    done = through_gate(workspace, body, provider=provider, limits=Limits(max_api_calls=7))
    assert len(provider.calls) == 7
    assert sum(result.ok for result in done.value) == 7


def test_log_when_arguments_hold_secrets_then_blacked_out_and_still_sent(
    workspace: Workspace,
) -> None:
    api = make_api(
        "a_1",
        parameters=schema(api_key={"type": "string"}, q={"type": "string"}, deep={}),
    )
    arguments = {"api_key": "s3cret-1", "q": "hello", "deep": [{"Authorization": "s3cret-2"}]}
    provider = ScriptedProvider(
        {
            "a_1": RawResult(
                status=200, body="1", headers={"Set-Cookie": "s3cret-3"}, origin="scripted"
            )
        }
    )
    done = through_gate(workspace, lambda run: run.call(api, arguments), provider=provider)
    assert provider.calls == [("a_1", arguments)]
    assert done.value.ok
    workspace.close()
    for path in workspace.path.parent.iterdir():
        assert b"s3cret" not in path.read_bytes()


@pytest.mark.parametrize(
    "name",
    ["Authorization", "api_key", "apikey", "X-API-Key", "x-rapidapi-key", "X-RapidAPI-Key",
     "password", "token", "access_token", "refresh-token", "client_secret", "secret", "cookie"],
)  # fmt: skip
def test_redaction_when_the_name_is_secret_then_blacked_out(name: str) -> None:
    assert Redactor().value({name: "x"}) == {name: "•••"}


@pytest.mark.parametrize("name", ["city", "keyword", "tokens", "author", "monkey", "passenger"])
def test_redaction_when_the_name_is_harmless_then_untouched(name: str) -> None:
    value = {"list": [{name: "x"}]}
    assert Redactor().value(value) is value


def test_gather_when_one_branch_breaks_then_siblings_are_kept(workspace: Workspace) -> None:
    async def good() -> str:
        await asyncio.sleep(0)
        return "kept"

    async def broken() -> str:
        raise ValueError("boom")

    done = through_gate(workspace, lambda run: run.gather(good, broken, good))
    assert done.value[0] == done.value[2] == "kept"
    assert isinstance(done.value[1], ValueError)
