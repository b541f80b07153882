"""Two runs as one tree: rows, words, totals."""

from dataclasses import replace

import pytest

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import CALL
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.compare.diff import (
    DiffNode,
    FirstDifference,
    Relation,
    RunDiff,
    TotalPair,
)
from toolplanner_core.runs.compare.differences import Change
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_gui.theme.theme import Theme
from toolplanner_gui.viewmodels.debug.compare_model import (
    TOTAL_TITLES,
    CompareColumn,
    CompareModel,
    change_rows,
    total_rows,
)


def summary(run: int) -> RunSummary:
    return RunSummary(
        run=RunId(run), query="Weather?", strategy="tool-planner", model="offline",
        provider="demo", status=Status.SOLVED, answer="Rain", reason="", started_us=1,
        model_calls=2, api_calls=run, failed_calls=0, tokens=0,
        counts={"fallbacks": 2, "replans": 1},
        seconds=run / 10,
    )  # fmt: skip


def place(path: str, parent: int | None, relation: Relation, **more) -> DiffNode:
    return DiffNode(
        left=None if relation is Relation.ONLY_RIGHT else NodePath(path),
        right=None if relation is Relation.ONLY_LEFT else NodePath(path),
        depth=0 if parent is None else 1,
        parent=parent,
        kind=CALL.id,
        title=path or "Weather?",
        relation=relation,
        **more,
    )


@pytest.fixture
def diff() -> RunDiff:
    state = Change(what="state", left="ok", right="failed", is_outcome=True)
    nodes = (
        place("", None, Relation.SAME, differs_below=True),
        place("same", 0, Relation.SAME),
        place("changed", 0, Relation.CHANGED, changes=(state,)),
        place("left", 0, Relation.ONLY_LEFT),
        place("right", 0, Relation.ONLY_RIGHT),
    )
    left, right = summary(3), summary(4)
    names = (
        "status", "model_calls", "api_calls", "failed_calls", "tokens",
        "seconds",
    )  # fmt: skip
    return RunDiff(
        left=left,
        right=right,
        nodes=nodes,
        first=FirstDifference(node=2, path=NodePath("changed"), sentence="It failed."),
        totals=tuple(TotalPair(n, getattr(left, n), getattr(right, n)) for n in names),
        counts=dict.fromkeys(Relation, 1),
    )


@pytest.fixture
def model(theme: Theme, diff: RunDiff) -> CompareModel:
    made = CompareModel()
    made.set_diff(diff)
    return made


def test_model_is_a_faithful_item_model(model: CompareModel, diff, qtmodeltester) -> None:
    qtmodeltester.check(model)
    model.set_diff(diff, differences_only=True)
    qtmodeltester.check(model)


def test_rows_say_in_words_how_they_compare(model: CompareModel) -> None:
    words = [model.index_of(i).siblingAtColumn(CompareColumn.RELATION).data() for i in range(5)]
    assert words == [
        "differs below", "same", "changed: state", "only in run 3", "only in run 4",
    ]  # fmt: skip
    changed = model.index_of(2)
    assert changed.siblingAtColumn(CompareColumn.LEFT).data() == "ok"
    assert changed.siblingAtColumn(CompareColumn.RIGHT).data() == "failed"
    assert change_rows(model.node_of(changed))[0] == ("State", "ok", "failed")


def test_counts_when_said_then_they_are_those_of_the_rows_with_these_words(
    model: CompareModel,
) -> None:
    assert model.counts == (
        "1 same · 1 differs below · 1 changed · 1 only in run 3 · 1 only in run 4"
    )


def test_changes_when_both_sides_share_words_then_those_that_differ_are_marked() -> None:
    left, right = "It is warm in Oslo", "It is cold in Oslo"
    change = Change(what="result", left=left, right=right, is_outcome=True)
    node = DiffNode(left=NodePath("call.1"), right=NodePath("call.1"), depth=1, parent=0,
                    kind=CALL.id, title="SkyCast", relation=Relation.CHANGED,
                    changes=(change,))  # fmt: skip
    assert change_rows(node) == [
        ("Result", "It is {+warm+} in Oslo", "It is {+cold+} in Oslo"),
    ]  # fmt: skip


def test_differences_only_leaves_out_what_is_the_same(model: CompareModel, diff) -> None:
    model.set_diff(diff, differences_only=True)
    assert model.rowCount(model.index_of(0)) == 3
    assert not model.index_of(1).isValid()
    assert model.index_of(2).row() == 0


def test_totals_stand_one_below_the_other(diff: RunDiff) -> None:
    left, right = total_rows(diff)
    said = {title: cell for title, cell in zip(TOTAL_TITLES, left.cells, strict=True) if cell}
    assert list(said.values())[:8] == [
        "Run 3", "solved", "2", "3", "0", "0", "300 ms", "2 fallbacks · 1 replan",
    ]  # fmt: skip
    assert dict(zip(TOTAL_TITLES, left.cells, strict=True))["Acting model"] == "offline planner"
    assert dict(zip(TOTAL_TITLES, right.cells, strict=True))["API calls"] == "4"


def test_steps_when_they_differ_in_number_then_one_is_said_to_be_one(
    model: CompareModel, diff: RunDiff
) -> None:
    steps = Change(what="steps", left=[{}], right=[{}, {}], is_outcome=False)
    nodes = (diff.nodes[0], place("changed", 0, Relation.CHANGED, changes=(steps,)))
    model.set_diff(replace(diff, nodes=nodes))
    changed = model.index_of(1)
    assert changed.siblingAtColumn(CompareColumn.LEFT).data() == "1 step"
    assert changed.siblingAtColumn(CompareColumn.RIGHT).data() == "2 steps"
