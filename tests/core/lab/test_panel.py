"""The blind panel: what people say of answers whose arms they do not know, and who agrees."""

from pathlib import Path

import pytest
from fixtures.command_line import command_here, toolplanner
from fixtures.judged_experiment import judged_experiment

from toolplanner_core.domain.experiment import Grade, TrialVerdict
from toolplanner_core.lab.judge_agreement import judges_together
from toolplanner_core.lab.panel import BlindPanel
from toolplanner_core.workspace.lab_store import LabStore

ANSWERS = {"secretly": ["good"] * 20, "openly": ["bad"] * 20}


def test_panel_when_a_person_judges_in_a_terminal_then_sees_no_arm_and_goes_on_later(
    tmp_path: Path,
) -> None:
    path = judged_experiment(tmp_path / "try.lab", ANSWERS)
    command = ("lab", "panel", path, "--person", "Ada", "--most", 10)
    first = toolplanner(*command, said="1\nwhat?\n3 it says nothing\n2\nq\n")
    assert first.status == 0, first.err
    assert "3 verdicts stored as person Ada, 8 left." in first.out  # 10 and one a second time
    assert "Begin with 1, 2, 3 or q." in first.err
    for hidden in ("secretly", "openly", "of-", "SECRET THOUGHT"):
        assert hidden not in first.out + first.err, hidden
    assert "City weather" in first.out
    second = toolplanner(*command, said="1\n" * 8)
    assert "8 verdicts stored as person Ada, 0 left." in second.out
    with LabStore.open(path) as store:
        given = [v.said for t in store.trials() for v in store.verdicts(t.number)]
    assert len(given) == 10
    assert sum(len(each.votes) for each in given) == 11
    assert [each.reason for each in given if each.votes[0] is Grade.UNSOLVED] == ["it says nothing"]
    assert "person Ada" in command_here("lab", "results", path).out


def test_panel_when_shown_then_order_is_random_by_seed_and_person_and_one_in_ten_comes_twice(
    tmp_path: Path,
) -> None:
    path = judged_experiment(tmp_path / "try.lab", ANSWERS)
    orders: list[list[int]] = []
    for person, seed in (("Ada", 0), ("Ada", 0), ("Ada", 1), ("Bob", 0)):
        with LabStore.open(path) as store:
            orders.append([each.number for each in BlindPanel(store, person, seed=seed).left()])
    assert orders[0] == orders[1]
    assert orders[0] != orders[2] != orders[3] != orders[0]
    for order in orders:
        assert sorted(order[:40]) == [*range(1, 41)] != order[:40]
        assert len(set(order[40:])) == len(order[40:]) == 4


def test_agreement_when_people_and_a_model_judged_then_is_that_of_the_verdicts(
    tmp_path: Path,
) -> None:
    path = judged_experiment(tmp_path / "try.lab", ANSWERS)
    with LabStore.open(path) as store:
        arm_of = {trial.number: trial.arm for trial in store.trials()}
        for person, wrong_at in (("Ada", ()), ("Bob", (0, 1, 2, 3))):
            panel = BlindPanel(store, person)
            for place, shown in enumerate(panel.left()):
                is_good = (arm_of[shown.number] == "secretly") != (place in wrong_at)
                panel.give(shown, Grade.SOLVED if is_good else Grade.UNSOLVED)
        for number, arm in arm_of.items():
            is_good = arm == "secretly" or number <= 10
            store.judge(number, "answer m x1", 1, TrialVerdict(solved=float(is_good)))
        found = judges_together(store)
    by_pair = {(each.judge, each.person): each.agreement for each in found.with_people}
    assert {*by_pair} == {
        ("person Ada", "person Bob"), ("answer m x1", "person Ada"), ("answer m x1", "person Bob"),
    }  # fmt: skip
    people = by_pair["person Ada", "person Bob"]
    assert (people.raw.value, people.raw.n) == (pytest.approx(0.9), 40)
    assert people.kappa is not None and people.kappa.value == pytest.approx(0.8, abs=0.02)
    model = by_pair["answer m x1", "person Ada"]
    lenient = sum(arm == "openly" and number <= 10 for number, arm in arm_of.items())
    assert model.raw.value == pytest.approx(1 - lenient / 40)
    assert model.sensitivity is not None and model.sensitivity.value == 1.0
    assert model.specificity is not None
    assert model.specificity.value == pytest.approx(1 - lenient / 20)
    assert found.alpha_of_people == pytest.approx(0.8, abs=0.02)
    assert found.consistency["person Ada"].value == 1.0
    assert found.consistency["person Ada"].n == 4
    said = command_here("lab", "agreement", path)
    assert "Krippendorff's alpha 0.8" in said.out
    assert command_here("lab", "agreement", path, "--json").data["alpha_of_people"] > 0.7


def test_agreement_when_nobody_judged_then_says_what_to_do(tmp_path: Path) -> None:
    path = judged_experiment(tmp_path / "try.lab", {"one": ["a"]})
    assert "lab panel" in command_here("lab", "agreement", path).out
    assert command_here("lab", "panel", path, "--person", " ").status == 2
