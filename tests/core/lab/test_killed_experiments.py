"""Experiments whose processes are killed: nothing is lost, and nothing is paid twice."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from fixtures.command_line import command_here, started_toolplanner
from fixtures.counting_endpoint import TURNS, CountingEndpoint, counting_endpoint

from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.workspace.lab_store import LabStore

KILLS = 50 if os.environ.get("TOOLPLANNER_BENCH") else 3
WORKERS = 2
EXPERIMENT = """
workspace = "demo.toolplanner"
dataset = "many.jsonl"
[arm.act]
strategy = "react"
model = "openai:scripted"
provider = "demo"
"""


class KilledExperiment:
    """An experiment that is started again whenever it was killed.

    Attributes:
        lost: replies that may have been paid and are stored nowhere, as the journals say.
    """

    def __init__(self, file: Path, counting: CountingEndpoint, url: str) -> None:
        self._file, self._counting = file, counting
        self._work = file.with_name("try.lab.work")
        self._environment = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k"}
        self._running = contextlib.ExitStack()
        self.process = self._start()
        self.lost = 0

    def _start(self) -> "subprocess.Popen[str]":
        command = ("lab", "run", self._file, "--workers", WORKERS, "--json")
        return self._running.enter_context(started_toolplanner(*command, **self._environment))

    def kill(self, who: str, draw: Random) -> None:
        """Kill a worker, the coordinator or all of them; go on after each but the first."""
        running = [int(process.split(":")[1]) for process in self._read("process", "running")]
        victim = draw.choice(sorted(running)) if running else self.process.pid
        if who == "worker" and victim != self.process.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
            self.lost += 1
            self._counting.go_on()
            return
        if who == "all":
            os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()
        self._counting.go_on()
        assert self.process.stderr is not None
        self.process.stderr.read()  # workers hold its other end: they have ended, too
        self._running.close()
        self.lost += self._without_reply()
        self.process = self._start()

    def finish(self) -> int:
        """Wait for the end; the exit status."""
        self.process.communicate()
        return self.process.returncode

    def close(self) -> None:
        """End what still runs."""
        self._running.close()

    def _read(self, column: str, status: str) -> list[str]:
        sql = f"SELECT {column} FROM runs WHERE status = ?"
        return [row[0] for db in self._journals() for row in db.execute(sql, [status])]

    def _without_reply(self) -> int:
        """Questions of runs that broke off at this kill and have no reply."""
        sql = (
            "SELECT count(*) FROM events JOIN runs ON runs.id = events.run_id WHERE runs.status ="
            " 'running' AND events.type = 'model.asked' AND NOT EXISTS (SELECT 1 FROM events AS e"
            " WHERE e.run_id = events.run_id AND e.seq > events.seq AND e.type LIKE 'model.%')"
        )
        return sum(db.execute(sql).fetchone()[0] for db in self._journals())

    def _journals(self) -> Iterator[sqlite3.Connection]:
        for file in self._work.glob("[0-9].toolplanner"):
            with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as db:
                yield db


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_experiment_when_its_processes_are_killed_then_loses_nothing_and_pays_nothing_twice(
    demo: Path,
) -> None:
    number, draw = 3 * KILLS, Random(5)
    queries = [Query(id=str(n), text=f"Weather in city {n}") for n in range(number)]
    write_data_set(DataSet(name="many", queries=queries), demo.with_name("many.jsonl"))
    file = demo.with_name("try.lab.toml")
    file.write_text(EXPERIMENT, encoding="utf-8")
    with counting_endpoint() as (endpoint, counting):
        experiment = KilledExperiment(file, counting, endpoint.url)
        with closing(experiment):
            for at in range(KILLS):
                least = len(counting.asked) + 1
                counting.stop_at(
                    max(least, at * number * TURNS // (KILLS + 1) + draw.randint(1, TURNS)),
                    before_reply=draw.random() < 0.5,
                )
                assert counting.reached.wait(200), experiment.process.poll()
                experiment.kill(("worker", "coordinator", "all")[at % 3], draw)
            counting.go_on()
            assert experiment.finish() == 0
        lost = experiment.lost
    with LabStore.open(demo.with_name("try.lab")) as store:
        standing = store.standing()
        facts = [store.facts(trial.number) for trial in store.trials()]
    assert {str(state): n for state, n in standing.by_state.items()} == {"done": number}
    assert standing.duplicates == 0
    shown = [each for each in facts if each is not None]
    assert [each.answer for each in shown] == [f"It took {TURNS} turns."] * number
    assert len(set(counting.asked)) == number * TURNS
    said_again = sum(each.model_calls for each in shown) - number * TURNS
    assert counting.asked_again <= said_again <= lost, (counting.asked_again, said_again, lost)
    assert lost <= KILLS * WORKERS
    assert not demo.with_name("try.lab.work").exists()
    again = command_here("lab", "run", file)
    assert again.out.startswith("Nothing is left to run")
