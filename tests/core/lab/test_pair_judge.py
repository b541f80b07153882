"""Answers of two arms compared by a model in both orders, and judges who ask no model."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.judged_experiment import judged_experiment
from fixtures.scripted_endpoint import Answers, ScriptedEndpoint, scripted_endpoint

from toolplanner_core.domain.experiment import Grade
from toolplanner_core.workspace.lab_store import LabStore

Prefers = Callable[[str, str], str]
"""Which answer is better, of what stands first and second."""


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Prefers], ScriptedEndpoint]]:
    """A model that prefers as it is told."""
    with scripted_endpoint() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")

        def use(prefers: Prefers) -> ScriptedEndpoint:
            def answer(body: dict[str, Any]) -> str:
                said = body["messages"][1]["content"]
                shown = [
                    said.partition(f"<{which}_answer>")[2].partition("</")[0].strip()
                    for which in ("first", "second")
                ]
                return json.dumps({"reason": "so", "better": prefers(*shown)})

            endpoint.script[:] = [Answers(answer)]
            return endpoint

        yield use


def by_text(first: str, second: str) -> str:
    """The answer that is called good wins wherever it stands."""
    if first == second:
        return "tie"
    return "first" if first.startswith("good") else "second"


def judged(path: Path) -> Any:
    return command_here("lab", "judge", path, "--judge", "pair", "--model", "openai:j", "--json")


def test_pair_when_a_model_is_fair_then_wins_ties_and_losses_are_those_of_the_answers(
    tmp_path: Path, judge: Callable[[Prefers], ScriptedEndpoint]
) -> None:
    endpoint = judge(by_text)
    answers = {"new": ["good", "good", "bad", "same", "", "good", ""],
               "old": ["bad", "bad", "good", "same", "good", "", ""]}  # fmt: skip
    path = judged_experiment(tmp_path / "try.lab", answers, baseline="old")
    done = judged(path)
    assert (done.status, done.data["judged"]) == (0, 7), done.err
    [new] = done.data["arms"]
    assert (new["wins"], new["ties"], new["losses"], new["disagreeing"]) == (3, 2, 2, 0)
    assert new["win_rate"]["value"] == pytest.approx(3 / 7)
    assert new["first_preferred"]["value"] == 0.5
    assert len(endpoint.requests) == 4 * 2, "an empty answer is not asked about"
    with LabStore.open(path) as store:
        said = {t.query: store.verdicts(t.number) for t in store.trials() if t.arm == "new"}
        assert not any(store.verdicts(t.number) for t in store.trials() if t.arm == "old")
    assert said["0"][0].said.votes == (Grade.SOLVED, Grade.SOLVED)
    again = judged(path)
    assert (again.data["judged"], again.data["before"]) == (0, 7)
    assert len(endpoint.requests) == 8
    rows = command_here("lab", "results", path, "--json").data
    shares = {row["group"]: row["share"] for row in rows}
    assert shares["new"]["if_missing_fail"]["value"] == pytest.approx(4 / 7)  # a tie is a half
    assert shares["old"] is None
    assert command_here("lab", "export", path, "--format", "html").status == 0


def test_pair_when_a_model_takes_what_stands_first_then_all_are_ties_and_its_bias_is_told(
    tmp_path: Path, judge: Callable[[Prefers], ScriptedEndpoint]
) -> None:
    judge(lambda _first, _second: "first")
    answers = {"new": ["a"] * 6, "old": ["b"] * 6}
    path = judged_experiment(tmp_path / "try.lab", answers, baseline="old")
    command = ("lab", "judge", path, "--judge", "pair", "--model", "openai:j")
    said = command_here(*command)
    assert said.status == 0, said.err
    assert "new: 0 won, 6 tied, 0 lost" in said.out
    assert "orders disagree in 6 pairs" in said.out
    assert "preferred: 1.000 [" in said.out


def test_pair_when_asked_then_the_model_sees_no_arm_strategy_or_thought(
    tmp_path: Path, judge: Callable[[Prefers], ScriptedEndpoint]
) -> None:
    endpoint = judge(by_text)
    path = judged_experiment(
        tmp_path / "try.lab", {"secretly": ["good"], "openly": ["bad"]}, baseline="openly"
    )
    assert judged(path).status == 0
    for request in endpoint.requests:
        text = json.dumps(request["messages"])
        assert "City weather" in text
        for hidden in ("secretly", "openly", "of-", "SECRET THOUGHT"):
            assert hidden not in text, hidden


@pytest.mark.parametrize(
    ("arguments", "words"),
    [((), "no arm to compare with"), (("--baseline", "nobody"), "no arm 'nobody'")],
)
def test_pair_when_there_is_no_baseline_then_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    path = judged_experiment(tmp_path / "try.lab", {"new": ["a"], "old": ["b"]})
    refused = command_here("lab", "judge", path, "--judge", "pair", *arguments)
    assert refused.status == 2
    assert words in refused.err


@pytest.mark.parametrize(
    ("judge_id", "right", "wrong"),
    [("hallucination", 1.0, 0.0), ("path", 1.0, 0.5), ("precision", 2 / 3, 0.5)],
)
def test_judge_when_it_asks_no_model_then_an_experiment_is_judged_again_from_its_runs(
    tmp_path: Path, judge_id: str, right: float, wrong: float
) -> None:
    path = judged_experiment(
        tmp_path / "try.lab",
        {"right": ["a", "b"], "wrong": ["a", "b"]},
        gold=("one", "two"),
        called={"right": ("one", "two", "three"), "wrong": ("one", "three")},
        made_up={"wrong": ("weather_of_mars",)},
    )
    said = command_here("lab", "judge", path, "--judge", judge_id, "--json")
    assert (said.status, said.data["judged"]) == (0, 4), said.err
    rows = command_here("lab", "results", path, "--json").data
    found = {row["group"]: row["share"]["if_missing_fail"]["value"] for row in rows}
    assert found == {"right": pytest.approx(right), "wrong": pytest.approx(wrong)}
    if judge_id == "hallucination":
        with LabStore.open(path) as store:
            reasons = {v.said.reason for t in store.trials() for v in store.verdicts(t.number)}
        assert reasons == {"", "Not offered: weather_of_mars"}
