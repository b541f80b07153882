"""What the workers of an experiment send to an endpoint together."""

import asyncio
from pathlib import Path

import pytest
from fixtures.command_line import command_here
from fixtures.counting_endpoint import TURNS, counting_endpoint
from fixtures.openai_turns import turn_request
from fixtures.scripted_endpoint import Answers, Status, Turn, scripted_endpoint

from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.errors import UserError
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.lab.experiment_file import read_experiment_file, resolve
from toolplanner_core.lab.paced_models import PacedModel
from toolplanner_core.llm.openai_model import OpenAiModel, model_at
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.settings import EndpointSettings
from toolplanner_core.workspace.request_quota import QuotaLimits, RequestQuota

HERE, THERE = "http://one/v1", "http://two/v1"


class Moving:
    """A clock of a test."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def quotas(path: Path, now: Moving, **limits: int) -> tuple[RequestQuota, RequestQuota]:
    """Of two workers."""
    allowed = QuotaLimits(**limits)
    return RequestQuota(path, allowed, now), RequestQuota(path, allowed, now)


def test_quota_when_workers_share_an_endpoint_then_no_minute_holds_more_than_allowed(
    tmp_path: Path,
) -> None:
    now = Moving()
    one, other = quotas(tmp_path / "q.db", now, requests_per_minute=3)
    sent: list[float] = []
    for step in range(400):
        now.at = 1000.0 + step
        sent += [now.at for worker in (one, other) if worker.ask(HERE, 1).wait_s == 0]
    assert all(sum(at - 60 < each <= at for each in sent) <= 3 for at in sent)
    assert len(sent) == 3 * 7  # 400 seconds begin seven minutes
    assert one.ask(THERE, 1).wait_s == 0, "another endpoint has a quota of its own"
    now.at = sent[-1]
    assert one.ask(HERE, 1).wait_s == pytest.approx(60 - (sent[-1] - sent[-3]), abs=1)


def test_quota_when_tokens_are_limited_then_what_replies_took_counts(tmp_path: Path) -> None:
    now = Moving()
    one, other = quotas(tmp_path / "q.db", now, tokens_per_minute=100)
    first = one.ask(HERE, 60)
    assert first.wait_s == 0
    assert other.ask(HERE, 60).wait_s == pytest.approx(60)
    one.settle(HERE, first.request, 40)
    assert other.ask(HERE, 60).wait_s == 0
    now.at += 61
    assert one.ask(HERE, 500).wait_s == 0, "what is too much for any minute is sent alone"
    assert other.ask(HERE, 1).wait_s > 0


def test_quota_when_an_endpoint_is_asked_too_often_then_all_wait_and_go_on_with_half(
    tmp_path: Path,
) -> None:
    now = Moving()
    one, other = quotas(tmp_path / "q.db", now)
    for _ in range(20):
        assert one.ask(HERE, 1).wait_s == 0
        now.at += 1
    one.slow_down(HERE, 7.0)
    assert other.ask(HERE, 1).wait_s == pytest.approx(7)
    now.at += 60
    allowed = 0
    while other.ask(HERE, 1).wait_s == 0:
        allowed += 1
    assert allowed == 30  # one a second were sent, so 60 a minute
    other.settle(HERE, 1, 1)
    assert one.ask(HERE, 1).wait_s == 0, "each reply adds a little"


def test_quota_when_the_clock_was_set_back_then_nobody_waits_for_the_future(tmp_path: Path) -> None:
    now = Moving()
    one, other = quotas(tmp_path / "q.db", now, requests_per_minute=1)
    assert one.ask(HERE, 1).wait_s == 0
    one.slow_down(HERE, 500.0)
    now.at -= 100_000
    assert other.ask(HERE, 1).wait_s == 0


def test_model_when_it_waits_for_the_quota_then_the_time_of_its_run_stands_still(
    tmp_path: Path,
) -> None:
    holds: list[str] = []

    class Watched(Clock):
        def hold(self) -> None:
            holds.append("hold")

        def release(self) -> None:
            holds.append("release")

    times = iter([1000.0, 1059.99, 1060.5, 1060.5, 1060.5])
    quota = RequestQuota(tmp_path / "q.db", QuotaLimits(requests_per_minute=1), lambda: next(times))

    async def ask(model: OpenAiModel) -> None:
        paced = PacedModel(model, quota, Watched())
        assert await asyncio.to_thread(quota.ask, model.address, 1)
        assert (await paced.complete(turn_request())).text == "Hello"
        await paced.close()

    with scripted_endpoint(Turn("Hello")) as endpoint:
        asyncio.run(ask(model_at(endpoint.url, None, "scripted", EndpointSettings())))
        assert len(endpoint.requests) == 1
    assert holds == ["hold", "release"]


EXPERIMENT = """
workspace = "demo.toolplanner"
dataset = "many.jsonl"
[arm.act]
strategy = "react"
model = "openai:scripted"
provider = "demo"
[quota]
"""


def _file(demo: Path, quota: str) -> Path:
    queries = [Query(id=str(n), text=f"Weather in city {n}") for n in range(3)]
    write_data_set(DataSet(name="many", queries=queries), demo.with_name("many.jsonl"))
    file = demo.with_name("try.lab.toml")
    file.write_text(EXPERIMENT + quota, encoding="utf-8")
    return file


def test_experiment_when_its_endpoint_is_asked_too_often_then_no_trial_counts_as_failed(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = _file(demo, "requests_per_minute = 500")
    with counting_endpoint() as (endpoint, counting):
        too_often = Status(429, "slow down", headers={"retry-after-ms": "20"})
        said = iter([too_often, too_often, None, too_often, too_often, too_often])
        endpoint.script[:] = [Answers(lambda body: next(said, None) or counting.answer(body))]
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        ran = command_here("lab", "run", file, "--executor", "inline", "--json")
        assert (ran.status, ran.data["states"]["done"]) == (0, 3), ran
        assert len(endpoint.requests) == 3 * TURNS + 5
    assert not demo.with_name("try.lab.work").exists()


@pytest.mark.parametrize("quota", ["requests_per_minute = 0", "tokens_per_minute = true", "x = 1"])
def test_quota_when_it_is_none_then_is_refused(demo: Path, quota: str) -> None:
    with pytest.raises(UserError, match=quota.split(" ", maxsplit=1)[0]):
        resolve(read_experiment_file(_file(demo, quota)), edit=0)
