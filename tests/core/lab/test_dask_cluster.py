"""Experiments on a real Dask scheduler with workers, each a process: equal facts, and kills."""

import dataclasses
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from fixtures.command_line import command_here, started_toolplanner
from fixtures.counting_endpoint import TURNS, counting_endpoint
from fixtures.dask_cluster import dask_cluster

from toolplanner_core.domain.experiment import TrialResult, TrialState
from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.jobs.progress import Progress, ProgressReport
from toolplanner_core.lab.cluster_worker import result_from_json, result_to_json
from toolplanner_core.lab.coordinator import run_experiment
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.lab.experiment_file import read_experiment_file
from toolplanner_core.workspace.cases import list_cases
from toolplanner_core.workspace.lab_store import LabStore
from toolplanner_core.workspace.workspace import Workspace

distributed = pytest.importorskip("distributed", reason="needs the extra cluster")
BY_RULES = """
workspace = "demo.toolplanner"
dataset = "few.jsonl"
seeds = [1]
judges = ["evidence", "expected"]
[arm.plan]
provider = "demo"
[arm.check]
strategy = "health"
provider = "demo"
options = { shortlist = 6 }
[factor.faults]
none = []
half = ["500:all,p=0.5"]
"""
BY_MODEL = """
workspace = "demo.toolplanner"
dataset = "many.jsonl"
[arm.act]
strategy = "react"
model = "openai:scripted"
provider = "demo"
"""


def _facts(path: Path) -> dict[str, object]:
    with LabStore.open(path) as store:
        found = {t.key: (store.facts(t.number), store.verdicts(t.number)) for t in store.trials()}
    return {
        key: (None if facts is None else dataclasses.replace(facts, seconds=0.0), verdicts)
        for key, (facts, verdicts) in found.items()
    }


def test_cluster_when_compared_with_inline_then_facts_and_tables_are_equal(
    demo: Path, tmp_path: Path
) -> None:
    with Workspace.open(demo) as workspace:
        cases = list_cases(workspace)[:4]
    queries = [Query(id=case.id, text=case.query, expected=case.expected) for case in cases]
    write_data_set(DataSet(name="few", queries=queries), demo.with_name("few.jsonl"))
    stores: list[Path] = []
    with dask_cluster(tmp_path / "dask", workers=2) as cluster:
        for how in (("--executor", "inline"), ("--on", cluster.address)):
            folder = tmp_path / how[0].strip("-")
            folder.mkdir()
            file = folder / "try.lab.toml"
            file.write_text(BY_RULES.replace('= "demo.', '= "../demo.').replace(
                '= "few.', '= "../few.'), encoding="utf-8")  # fmt: skip
            ran = command_here("lab", "run", file, *how, "--json")
            assert (ran.status, ran.data["left"], ran.data["duplicates"]) == (0, 0, 0), ran.err
            stores.append(folder / "try.lab")
    inline, spread = map(_facts, stores)
    assert inline == spread
    assert len(inline) == 16
    shown = [command_here("lab", "results", store, "--json").out for store in stores]
    assert shown[0] == shown[1]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_cluster_when_a_worker_is_killed_then_nothing_is_lost_and_two_trials_run_again_at_most(
    demo: Path, tmp_path: Path
) -> None:
    number, kills = 8, 12 if os.environ.get("TOOLPLANNER_BENCH") else 2
    number *= max(1, kills // 2)
    file = _by_model(demo, number)
    with counting_endpoint() as (endpoint, counting):
        environment = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "k"}
        with dask_cluster(tmp_path / "dask", workers=2, **environment) as cluster:
            command = ("lab", "run", file, "--on", cluster.address, "--json")
            with started_toolplanner(*command, **environment) as process:
                for kill in range(kills):
                    least = len(counting.asked) + 2
                    counting.stop_at(least + kill, before_reply=kill % 2 == 0)
                    assert counting.reached.wait(200), process.poll()
                    cluster.workers[kill].kill()
                    counting.go_on()
                    cluster.add_worker()
                process.communicate()
                assert process.returncode == 0
    with LabStore.open(demo.with_name("try.lab")) as store:
        standing = store.standing()
    assert {str(state): n for state, n in standing.by_state.items()} == {"done": number}
    assert standing.duplicates == 0
    assert _answers(demo.with_name("try.lab")) == [f"It took {TURNS} turns."] * number
    assert len(set(counting.asked)) == number * TURNS
    assert counting.ended_again <= 2 * kills, "trials that had ended and ran again"
    assert counting.asked_again <= 2 * TURNS * kills
    assert not demo.with_name("try.lab.work").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGSTOP")
def test_cluster_when_workers_have_ended_trials_and_die_stop_or_are_cut_off_then_two_each_run_again(
    demo: Path, tmp_path: Path
) -> None:
    number = 12
    file = _by_model(demo, number)
    store = demo.with_name("try.lab")
    with counting_endpoint() as (endpoint, counting):
        environment = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "k"}
        with (
            dask_cluster(tmp_path / "dask", workers=3, **environment) as cluster,
            distributed.Client(cluster.address, set_as_default=False) as client,
        ):
            relay = cluster.add_worker_behind_relay()
            client.wait_for_workers(4)
            process_of = {pid: worker for worker, pid in client.run(os.getpid).items()}
            killed, stopped, _, cut_off = (process_of[each.pid] for each in cluster.workers)
            counting.hold()
            command = ("lab", "run", file, "--on", cluster.address, "--json")
            with started_toolplanner(*command, **environment) as coordinator:
                _until(
                    coordinator,
                    lambda: all(len(keys) == 2 for keys in client.processing().values()),
                )
                os.kill(coordinator.pid, signal.SIGSTOP)
                counting.go_on()
                _until(
                    coordinator, lambda: all(len(keys) == 2 for keys in client.has_what().values())
                )
                cluster.workers[0].kill()
                os.kill(cluster.workers[1].pid, signal.SIGSTOP)
                relay.stall()
                _until(
                    coordinator,
                    lambda: killed not in client.has_what(),
                )
                os.kill(coordinator.pid, signal.SIGCONT)
                _until(coordinator, lambda: _done(store) >= number - 4)
                for worker in (stopped, cut_off):
                    client.run_on_scheduler(_take_for_dead, worker)
                os.kill(cluster.workers[1].pid, signal.SIGCONT)
                coordinator.communicate()
                assert coordinator.returncode == 0
    assert _answers(store) == [f"It took {TURNS} turns."] * number
    assert counting.ended_again <= 2 * 3, "trials that had ended and ran again"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGSTOP")
def test_cluster_when_a_worker_does_not_answer_at_the_start_then_it_is_named_and_left_out(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolplanner_core.lab.executors.dask._SILENT_S", 2.0)
    read = read_experiment_file(_by_model(demo, 4))
    said: list[str] = []

    def hear(report: ProgressReport) -> None:
        said.append(report.stage)
        if f"Worker {silent} is silent" in report.stage:
            counting.go_on()

    with counting_endpoint() as (endpoint, counting):
        environment = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "k"}
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        with dask_cluster(tmp_path / "dask", workers=2) as cluster:
            with distributed.Client(cluster.address, set_as_default=False) as client:
                client.wait_for_workers(2)
                silent, process = next(iter(client.run(os.getpid).items()))
            os.kill(process, signal.SIGSTOP)
            counting.hold()
            standing = run_experiment(
                read,
                executor="dask",
                address=cluster.address,
                workers=1,
                progress=Progress(hear),
                stopping=threading.Event(),
            )
            os.kill(process, signal.SIGCONT)
    assert standing.left == 0
    assert f"Worker {silent} is silent and left out; trials that wait for it: 0" in said
    assert counting.asked_again == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGSTOP")
@pytest.mark.skipif("TOOLPLANNER_BENCH" not in os.environ, reason="long: with TOOLPLANNER_BENCH=1")
@pytest.mark.parametrize("how", ["stopped", "cut off"])
def test_cluster_when_a_worker_is_not_heard_of_then_its_two_trials_run_elsewhere_and_count_once(
    demo: Path, tmp_path: Path, how: str
) -> None:
    number, faults = 24, 4
    file = _by_model(demo, number)
    with counting_endpoint() as (endpoint, counting):
        environment = {
            "OPENAI_BASE_URL": endpoint.url,
            "OPENAI_API_KEY": "k",
            "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "4s",
        }
        with dask_cluster(tmp_path / "dask", workers=0, **environment) as cluster:
            relays = [cluster.add_worker_behind_relay() for _ in range(2)]
            command = ("lab", "run", file, "--on", cluster.address, "--json")
            with started_toolplanner(*command, **environment) as process:
                for fault in range(faults):
                    counting.stop_at(len(counting.asked) + 2 + fault, before_reply=False)
                    assert counting.reached.wait(200), process.poll()
                    silenced = cluster.workers[fault].pid
                    if how == "stopped":
                        os.kill(silenced, signal.SIGSTOP)
                    else:
                        relays[fault].stall()
                    relays.append(cluster.add_worker_behind_relay())
                    if how == "stopped" and fault % 2:
                        os.kill(silenced, signal.SIGCONT)  # before anybody noticed
                for fault in range(faults):  # it comes back when all was given to others
                    os.kill(cluster.workers[fault].pid, signal.SIGCONT)
                process.communicate()
                assert process.returncode == 0
    with LabStore.open(demo.with_name("try.lab")) as store:
        standing = store.standing()
    assert {str(state): n for state, n in standing.by_state.items()} == {"done": number}
    assert _answers(demo.with_name("try.lab")) == [f"It took {TURNS} turns."] * number
    assert counting.ended_again <= 2 * faults, "trials that had ended and ran again"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGSTOP")
@pytest.mark.skipif("TOOLPLANNER_BENCH" not in os.environ, reason="long: with TOOLPLANNER_BENCH=1")
def test_cluster_when_a_worker_stalls_then_only_its_two_trials_wait_and_end_when_it_goes_on(
    demo: Path, tmp_path: Path
) -> None:
    with Workspace.open(demo) as workspace:
        cases = list_cases(workspace)[:12]
    queries = [Query(id=case.id, text=case.query) for case in cases]
    write_data_set(DataSet(name="few", queries=queries), demo.with_name("few.jsonl"))
    file = demo.with_name("try.lab.toml")
    file.write_text(BY_RULES.partition("[arm.check]")[0], encoding="utf-8")
    store = demo.with_name("try.lab")

    with dask_cluster(tmp_path / "dask", workers=2) as cluster:
        command = ("lab", "run", file, "--on", cluster.address, "--json")
        with started_toolplanner(*command) as process:
            _until(process, lambda: store.exists() and _done(store) >= 1)
            stalled = cluster.workers[0].pid
            os.kill(stalled, signal.SIGSTOP)
            _until(process, lambda: _done(store) >= len(cases) - 2)
            os.kill(stalled, signal.SIGCONT)
            process.communicate()
            assert process.returncode == 0
    assert _done(store) == len(cases)


def _by_model(demo: Path, number: int) -> Path:
    queries = [Query(id=str(n), text=f"Weather in city {n}") for n in range(number)]
    write_data_set(DataSet(name="many", queries=queries), demo.with_name("many.jsonl"))
    file = demo.with_name("try.lab.toml")
    file.write_text(BY_MODEL, encoding="utf-8")
    return file


def _until(process: Popen[str], is_so: Callable[[], bool]) -> None:
    while not is_so():
        assert process.poll() is None, "it ended too early"
        threading.Event().wait(0.05)


async def _take_for_dead(worker: str, dask_scheduler: Any) -> None:
    """What Dask does when it has not heard of a worker for `worker-ttl`."""
    await dask_scheduler.remove_worker(worker, stimulus_id="test")


def _answers(path: Path) -> list[str]:
    with LabStore.open(path) as store:
        return [facts.answer for t in store.trials() if (facts := store.facts(t.number))]


def _done(path: Path) -> int:
    with LabStore.open(path) as store:
        return store.standing().by_state.get(TrialState.DONE, 0)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("tcp://192.0.2.1:8786", "over TLS only"),
        ("tcp://scheduler.example:8786", "over TLS only"),
        ("http://127.0.0.1:8786", "no address of a scheduler"),
        ("127.0.0.1:8786", "no address of a scheduler"),
    ],
)
def test_cluster_when_its_address_is_open_to_others_or_none_then_nothing_is_sent(
    demo: Path, address: str, words: str
) -> None:
    write_data_set(
        DataSet(name="few", queries=[Query(id="1", text="q")]), demo.with_name("few.jsonl")
    )
    file = demo.with_name("try.lab.toml")
    file.write_text(BY_RULES, encoding="utf-8")
    refused = command_here("lab", "run", file, "--on", address)
    assert refused.status == 2
    assert words in refused.err


def test_result_when_it_travelled_then_is_as_it_was() -> None:
    result = TrialResult(number=3, key="k", state=TrialState.DONE, packed=b"\x00\xff run")
    assert result_from_json(result_to_json(result)) == result
