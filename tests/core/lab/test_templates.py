"""Tables of the papers as experiments, and the papers' figures beside ours."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.judged_experiment import judged_experiment
from fixtures.scripted_endpoint import Answers, Turn, scripted_endpoint

from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.lab.experiment_file import read_experiment_file, resolve
from toolplanner_core.lab.published import beside_paper
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.templates import paper_tables
from toolplanner_core.workspace.lab_store import LabStore

TABLES = {table.id: table for table in paper_tables()}


def new_file(demo: Path, template: str, *, splits: tuple[str, ...] = ("G1_tool",)) -> Path:
    """An experiment from a template over one query a split."""
    queries = [
        Query(id=split, text=f"Weather in {split}", split=split, gold=(frozenset({"demo/none"}),))
        for split in splits
    ]
    write_data_set(DataSet(name="few", queries=queries), demo.with_name("few.jsonl"))
    file = demo.with_name("try.lab.toml")
    made = command_here(
        *("lab", "new", file, "--template", template, "--workspace", demo),
        *("--dataset", demo.with_name("few.jsonl"), "--model", "openai:scripted"),
        *("--provider", "demo", "--label", "scripted, shows that it runs"),
    )
    assert made.status == 0, made.err
    return file


@pytest.mark.parametrize("template", sorted(TABLES))
def test_template_when_written_then_its_experiment_resolves_with_arms_of_the_paper(
    demo: Path, template: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    table = TABLES[template]
    experiment, _ = resolve(read_experiment_file(new_file(demo, template)), edit=0)
    assert [arm.name for arm in experiment.arms] == [*table.arms]
    assert (experiment.template, experiment.label) == (template, "scripted, shows that it runs")
    for arm in experiment.arms:
        for option, value in table.arms[arm.name].get("options", {}).items():
            assert str(arm.settings["options"][option]) == str(value), (arm.name, option)
        for given in ("candidates", "distractors"):
            drawn = {"candidates": None, "distractors": 0}[given]
            assert arm.settings.get(given, drawn) == table.arms[arm.name].get(given, drawn)
    for measures in table.published.values():
        for rows in measures.values():
            assert {*rows} <= {*table.arms}
            for values in rows.values():
                assert len(values) == len(table.splits) == len(table.queries)


@pytest.mark.parametrize(
    ("place", "at", "value"),
    [
        ("tool-planner/table-2|GPT-4|hallucination|tool-planner", 1, 10.7),
        ("tool-planner/table-3|Claude-3|win|dfsdt", 5, 79.0),
        ("tool-planner/table-3|GPT-3.5|pass|reflexion", 2, 53.5),
        ("tool-planner/table-4|GPT-4|pass|adaplanner with toolkits", 0, 72.5),
        ("tool-planner/table-6|GPT-4|win|toolchain-star", 0, 38.5),
        ("anytool/table-1|GPT-4|pass|anytool", 5, 63.2),
        ("anytool/table-1|GPT-4|pass|AutoGen-RAG", 2, 19.7),
        ("anytool/table-1|GPT-3.5|pass|reference APIs, CoT", 5, 5.3),
        ("anytool/table-5|GPT-4|pass|10,000", 0, 38.1),
        ("anytool/table-10|GPT-4|pass|names and descriptions", 0, 15.9),
        ("anytool/table-3|GPT-4|pass|without reflection", 0, 19.6),
        ("anytool/table-7|GPT-4|pass|10", 1, 39.5),
        ("toolnet/table-4|GPT-3.5|tokens|toolnet", 0, 1649),
        ("toolnet/table-5|GPT-3.5|pass|divided by 10", 0, 71),
    ],
)
def test_template_when_read_then_holds_the_figures_that_the_paper_prints(
    place: str, at: int, value: float
) -> None:
    template, model, measure, arm = place.split("|")
    assert TABLES[template].published[model][measure][arm][at] == value


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A model that answers at once where it may, and else says nothing that can be used."""

    def answer(body: dict[str, Any]) -> Turn | str:
        names = {tool["function"]["name"] for tool in body.get("tools", ())}
        for ends in ("give_answer", "finish"):
            if ends in names:
                return Turn("", [(ends, {"final_answer": "42"})])
        return json.dumps({})

    with scripted_endpoint(Answers(answer)) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield


@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize("template", ["tool-planner/table-4", "toolnet/table-4"])
def test_template_when_run_with_a_scripted_model_then_both_figures_stand_labelled(
    demo: Path, template: str
) -> None:
    file = new_file(demo, template, splits=("G1_tool", "G3_instruction"))
    ran = command_here("lab", "run", file, "--executor", "inline", "--json")
    assert (ran.status, ran.data["left"]) == (0, 0), ran.err
    said = command_here("lab", "published", file)
    assert said.status == 0, said.err
    assert "Ours by openai:scripted (scripted, shows that it runs)" in said.out
    found = command_here("lab", "published", file, "--json").data
    rows = {(row["arm"], row["measure"], row["split"]): row for row in found["rows"]}
    if template.startswith("tool-planner"):
        row = rows["react", "pass", "G1_tool"]
        assert (row["published"]["value"], row["published"]["n"]) == (0.465, 200)
        assert (row["ours"]["value"], row["ours"]["n"]) == (0.0, 1)
        assert rows["react", "pass", "G2_category"]["ours"] is None, "no query is of this split"
        assert rows["react", "win", "G1_tool"]["ours"] is None, "nobody compared pairs"
    else:
        assert rows["react", "tokens", ""]["published"] == 1720
        assert rows["react", "tokens", ""]["ours"]["value"] > 0
    assert command_here("lab", "export", file, "--format", "html").status == 0
    assert "scripted, shows that it runs" in demo.with_name("try.html").read_text("utf-8")


def test_published_when_an_experiment_is_of_no_paper_then_says_so(tmp_path: Path) -> None:
    path = judged_experiment(tmp_path / "try.lab", {"one": ["a"]})
    refused = command_here("lab", "published", path)
    assert refused.status == 2
    assert "no table of a paper" in refused.err
    with LabStore.open(path) as store, pytest.raises(Exception, match="no table of a paper"):
        beside_paper(ExperimentResults(store))


def test_new_when_the_template_or_the_name_does_not_fit_then_nothing_is_written(demo: Path) -> None:
    few = new_file(demo, "tool-planner/table-4")
    command = ("--workspace", demo, "--dataset", demo.with_name("few.jsonl"), "--model", "openai:m")
    for name, template in (
        (few, "tool-planner/table-4"),
        (demo.with_name("other.lab.toml"), "tool-planner/table-99"),
        (demo.with_name("other.toml"), "tool-planner/table-4"),
    ):
        before = name.read_bytes() if name.exists() else None
        assert command_here("lab", "new", name, "--template", template, *command).status == 2
        assert (name.read_bytes() if name.exists() else None) == before
