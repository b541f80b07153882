"""Tasks built from a catalogue: only what was really solved is kept, the rest is counted."""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import Outcome, command_here, started_toolplanner
from fixtures.scripted_endpoint import Answers, Status, Turn, scripted_endpoint

from toolplanner_core.domain.api import Risk, example_arguments
from toolplanner_core.domain.lab import Solvable
from toolplanner_core.lab.datasets.jsonl import read_data_set
from toolplanner_core.lab.tasks.drafts import DOCUMENTED, RECORDED, ApiDraw, draft_of_rules
from toolplanner_core.prompts.question import AnswerInvalid
from toolplanner_core.prompts.write_task import WriteTask
from toolplanner_core.sources.recordings import canonical_arguments
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid
from toolplanner_core.workspace.recordings import Recording, store_recordings

Line = Callable[[dict[str, Any]], Any]
BUSY = Status(429, headers={"Retry-After": "0.01"})


def build(demo: Path, *more: object) -> Outcome:
    place = demo.with_name("tasks.jsonl")
    return command_here("lab", "build-tasks", demo, "--to", place, "--json", *more)


@pytest.fixture
def recorded(demo: Path) -> Path:
    """The demo workspace, with a recorded reply to every documented call."""
    with Workspace.open(demo) as workspace:
        every = apis_by_rowid(workspace, all_rowids(workspace)).values()
        asked = [(api.key, canonical_arguments(example_arguments(api))) for api in every]
        store_recordings(
            workspace,
            [
                Recording(key, call.text, call.names, '{"found": 42}', "", truncated=False)
                for key, call in asked
            ],
        )
    return demo


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, recorded: Path) -> Callable[..., Outcome]:
    """Builds with a scripted model."""

    def run(line: Line, *more: object) -> Outcome:
        with scripted_endpoint(Answers(line)) as endpoint:
            monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
            monkeypatch.setenv("OPENAI_API_KEY", "none")
            model = ("--model", "openai:scripted", "--strategy", "react", "--apis", 1)
            provider = ("--provider", "recorded")
            return build(recorded, *model, *provider, *more)

    return run


class Scripted:
    """A model that writes, solves and judges, in another way at each draw."""

    def __init__(self) -> None:
        self.draw, self.tries = -1, 0
        self.call: dict[str, Any] = {}
        self.kept = ""

    def __call__(self, body: dict[str, Any]) -> Any:
        rules = body["messages"][0]["content"]
        if rules.startswith("You write what a person could ask"):
            return self._write(body["messages"])
        if rules.startswith("You grade an answer"):
            return json.dumps({"reason": "", "grade": "unsure" if self.draw == 4 else "solved"})
        return self._solve(body)

    def _write(self, messages: list[dict[str, Any]]) -> Any:
        asked_again = len(messages) > 2 or (self.draw, self.tries) == (2, 1)
        self.draw, self.tries = (self.draw, 2) if asked_again else (self.draw + 1, 1)
        if self.draw == 0:
            return "no JSON at all"
        if self.draw == 2 and not asked_again:
            return BUSY
        shown = messages[1]["content"]
        [name] = re.findall(r'"name": ?"([^"]+)", ?"desc', shown)
        known = re.search(r"<known_calls>\n\S+ (\{.*\})\n", shown)
        values: dict[str, Any] = json.loads(known[1]) if known else {}
        text = f"{name.replace('_', ' ')}: {', '.join(map(str, values.values()))}"
        if self.draw == 1:
            if not asked_again:
                return self._written("Something without values", name, {"zone": "unsaid"})
            self.kept = text
        if self.draw == 6:
            text, values = self.kept, {}
        return self._written(text, name, values)

    def _written(self, query: str, name: str, values: dict[str, Any]) -> str:
        self.call = {"call": name, "arguments": values}
        return json.dumps({"query": query, "calls": [self.call]})

    def _solve(self, body: dict[str, Any]) -> Turn:
        if self.draw == 3:
            return Turn("", [("give_up", {"reason": "no idea"})])
        if self.draw == 5 or body["messages"][-1]["role"] == "tool":
            ends = {"final_answer": "It is 42.", "no_call_needed": self.draw == 5}
            return Turn("", [("give_answer", ends)])
        return Turn("", [(self.call["call"], self.call["arguments"])])


def test_build_when_a_model_writes_solves_and_judges_then_only_verified_tasks_are_kept(
    ask: Callable[..., Outcome], demo: Path
) -> None:
    made = ask(Scripted(), "--n", 3, "--seed", 1)
    assert made.status == 0, made.err
    why = {each["draw"]: each["reason"] for each in made.data["rejected"]}
    assert {draw: why.get(draw) for draw in range(7)} == {
        0: "nothing usable was written",
        1: None,  # sent back once, since a value was not said, and then right
        2: None,  # asked again after 429
        3: "ended unsolved",
        4: "judged unsure",
        5: "solved without its APIs",
        6: "repeats an earlier one",
    }
    found = read_data_set(demo.with_name("tasks.jsonl"))
    assert not found.rejected and found.data_set.version == made.data["version"]
    assert made.data["draws"] == len(made.data["rejected"]) + 3
    for task in found.data_set:
        assert task.gold == (frozenset(call.api for call in task.path),)
        assert task.solvable is Solvable.YES
        assert task.source.endswith("of seed 1, written by openai:scripted")
    assert "judged by openai:scripted" in found.data_set.source


def _steady(body: dict[str, Any]) -> Any:
    """Writes, solves and judges each draw in the same way, whenever it is asked."""
    rules, messages = body["messages"][0]["content"], body["messages"]
    if rules.startswith("You write what a person could ask"):
        shown = messages[1]["content"]
        [name] = re.findall(r'"name": ?"([^"]+)", ?"desc', shown)
        known = re.search(r"<known_calls>\n\S+ (\{.*\})\n", shown)
        values: dict[str, Any] = json.loads(known[1]) if known else {}
        text = f"Ask {name} for {json.dumps(values)}."
        return json.dumps({"query": text, "calls": [{"call": name, "arguments": values}]})
    if rules.startswith("You grade an answer"):
        return json.dumps({"reason": "", "grade": "solved"})
    if messages[-1]["role"] == "tool":
        return Turn("", [("give_answer", {"final_answer": "It is 42.", "no_call_needed": False})])
    [(name, arguments)] = re.findall(r"Ask (\w+) for (\{.*\})\.", messages[1]["content"])
    return Turn("", [(name, json.loads(arguments))])


def test_build_when_killed_again_and_again_then_goes_on_and_asks_nothing_twice(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    reached, kill_at = threading.Event(), 0

    def line(body: dict[str, Any]) -> Any:
        asked.append(json.dumps(body["messages"]))
        if len(asked) == kill_at:
            reached.set()
        return _steady(body)

    whole, killed = recorded.with_name("whole.jsonl"), recorded.with_name("killed.jsonl")
    with scripted_endpoint(Answers(line)) as endpoint:
        keys = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "none"}
        model = ("--model", "openai:scripted", "--strategy", "react", "--apis", 1, "--n", 3)
        how = ("--provider", "recorded", "--name", "one", "--json")
        command = ("lab", "build-tasks", recorded, *model, *how)
        for name, value in keys.items():
            monkeypatch.setenv(name, value)
        once = command_here(*command, "--to", whole)
        needed, kills = len(asked), 2
        asked.clear()
        for number in range(kills):
            reached.clear()
            kill_at = len(asked) + 2 + number
            with started_toolplanner(*command, "--to", killed, **keys) as process:
                assert reached.wait(120)
                process.kill()
        made = command_here(*command, "--to", killed)
    assert (once.status, made.status) == (0, 0), made.err
    assert made.data["version"] == once.data["version"]
    assert not list(recorded.parent.glob("*.tasks.work")), "nothing is left of a finished build"
    twice = sum(count - 1 for count in Counter(asked).values())
    assert twice <= kills, "only what was under way when it was killed"
    assert len(asked) <= needed + kills


def test_build_when_stopped_early_then_more_draws_go_on_without_a_question(
    ask: Callable[..., Outcome], demo: Path
) -> None:
    first = ask(Scripted(), "--n", 3, "--seed", 1, "--draws", 3)
    assert list(demo.parent.glob("*.tasks.work"))
    assert (first.status, first.data["draws"]) == (1, 3)
    again = ask(lambda _: Status(500), "--n", 3, "--seed", 1, "--draws", 3)
    assert again.data["tasks"] == first.data["tasks"]
    assert again.data["rejected"] == first.data["rejected"]


@pytest.mark.parametrize("line", [Status(401), BUSY], ids=["no key", "always busy"])
def test_build_when_the_endpoint_gives_nothing_then_ends_and_says_so(
    ask: Callable[..., Outcome], demo: Path, line: Status
) -> None:
    made = ask(lambda _: line, "--n", 3)
    assert (made.status, made.data["tasks"]) == (1, [])
    assert made.data["stopped"]
    assert made.data["draws"] <= 5, "not all 30 draws"
    assert not demo.with_name("tasks.jsonl").exists()


def test_build_when_no_model_is_named_then_the_offline_planner_verifies_the_same_tasks_again(
    demo: Path,
) -> None:
    made = build(demo, "--n", 2, "--apis", 1, "--seed", 1)
    assert made.status == 0, made.err
    again = build(demo, "--n", 2, "--apis", 1, "--seed", 1)
    assert again.data["version"] == made.data["version"]
    assert made.data["draws"] == 2 + len(made.data["rejected"])
    assert all(each["source"].endswith(DOCUMENTED) for each in made.data["tasks"])
    few = build(demo, "--n", 9, "--draws", 1, "--apis", 1, "--seed", 1)
    assert (few.status, few.data["draws"]) == (1, 1)
    assert "as many as were allowed" in few.data["stopped"]


def test_draw_when_a_call_is_recorded_then_its_values_are_taken_and_no_writer_is_drawn(
    demo: Path,
) -> None:
    key, asked = "Weather/stationnet/latest_reading", canonical_arguments({"near": "Turku"})
    reply = Recording(key, asked.text, asked.names, '{"c": 4}', "", truncated=False)
    with Workspace.open(demo) as workspace:
        store_recordings(workspace, [reply])
        source = ApiDraw(workspace, seed=3, most=2, needs_values=True)
        draws = [source.draw(number) for number in range(len(source))]
    assert len({drawn[0].api.id for drawn in draws}) == len(source), "each comes first once"
    assert all(each.api.risk is Risk.READ for drawn in draws for each in drawn)
    assert all(len({each.toolkit for each in drawn}) == len(drawn) for drawn in draws)
    assert {len(drawn) for drawn in draws} == {1, 2}
    [task] = [draft_of_rules(drawn) for drawn in draws if drawn[0].api.key == key]
    assert task.calls[0].arguments == {"near": "Turku"}
    assert "for near Turku." in task.text and task.origin.startswith(RECORDED)


def test_written_task_when_a_call_is_missing_foreign_or_unsaid_then_refused_in_words(
    demo: Path,
) -> None:
    with Workspace.open(demo) as workspace:
        drawn = ApiDraw(workspace, seed=1, most=1, needs_values=True).draw(0)
    question = WriteTask(apis=(drawn[0].api,), known=({},))
    name = question.schema()["properties"]["calls"]["items"]["properties"]["call"]["enum"][0]
    for calls, said in (
        ([], f"call {name} once"),
        ([{"call": "other", "arguments": {}}], "there is no function 'other'"),
        ([{"call": name, "arguments": {"city": "Rome"}}], "does not say the value 'Rome'"),
    ):
        with pytest.raises(AnswerInvalid, match=re.escape(said)):
            question.parse({"query": "What is it?", "calls": calls})
