"""Presets in the command line: saved, shown, run with, changed by flags, deleted."""

import json
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import Outcome, command_here

from toolplanner_core.cli.prepare import _clustering_options
from toolplanner_core.runs.config.presets import preset_names, preset_row, read_preset, save_preset
from toolplanner_core.runs.config.spec import Limits, RunSpec, roles_from
from toolplanner_core.settings import EndpointSettings, Settings, save_settings
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import get_run

EVERYTHING = RunSpec(
    query="not kept",
    model="offline",
    roles={"judging": "openai:j"},
    provider="simulated",
    options={"max_replans": 1, "parallel": False},
    provider_options={"failure_classes": ["timeout"]},
    limits=Limits(max_model_calls=None, max_api_calls=7, max_cost=0.5),
    seed=3,
    faults=("slow:all",),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An empty workspace."""
    path = tmp_path / "w.toolplanner"
    Workspace.create(path).close()
    return path


def done(*arguments: object) -> Outcome:
    outcome = command_here(*arguments)
    assert outcome.status == 0, outcome.err
    return outcome


def shown(file: Path, name: str) -> dict[str, Any]:
    return done("presets", "show", file, name).data


def test_preset_when_saved_then_holds_all_but_query_and_faults(file: Path) -> None:
    with Workspace.open(file) as workspace:
        assert save_preset(workspace, "  my   way ", EVERYTHING) == "my way"
    with Workspace.open(file) as workspace:
        read = read_preset(workspace, "my way")
        assert preset_names(workspace) == ["my way"]
    assert preset_row(read) == preset_row(EVERYTHING)
    assert (read.query, read.faults) == ("", ())


def test_preset_when_made_by_flags_then_listed_shown_changed_and_deleted(file: Path) -> None:
    done(
        "presets", "save", file, "quick", "--max-replans", 1, "--no-parallel", "--provider",
        "simulated", "--provider-seed", 4, "--judging-model", "openai:j", "--acting-model",
        "openai:a", "--max-calls", 5,
        "--max-seconds", "none",
    )  # fmt: skip
    row = shown(file, "quick")
    assert row["options"] == {"max_replans": 1, "parallel": False}
    assert row["roles"] == {"judging": "openai:j"}
    assert row["model"] == "openai:a"
    assert row["provider_options"] == {"seed": 4}
    assert (row["limits"]["max_api_calls"], row["limits"]["max_seconds"]) == (5, None)
    listed = done("presets", "list", file, "--json").data
    assert {n: r for n, r in listed.items() if not n.startswith("paper:")} == {"quick": row}
    assert "quick" in done("presets", "list", file).out
    # With --preset, flags change what they name; another plug-in brings its own options.
    done("presets", "save", file, "q2", "--preset", "quick", "--max-steps", 2, "--provider", "auto")
    assert shown(file, "q2") == row | {
        "options": row["options"] | {"max_steps": 2}, "provider": "auto", "provider_options": {},
    }  # fmt: skip
    done("presets", "delete", file, "quick")
    refused = command_here("presets", "show", file, "quick")
    assert refused.status == 2
    assert "There is no saved preset “quick”" in refused.err
    assert "q2" in refused.err
    assert command_here("presets", "delete", file, "quick").status == 2
    assert command_here("presets", "save", file, "  ").status == 2


def test_run_when_preset_is_given_then_runs_as_it_says(file: Path) -> None:
    done("presets", "save", file, "none", "--max-calls", 0, "--provider", "simulated")
    # An empty workspace solves nothing, but the log says how it was tried.
    run = command_here("run", file, "Say hello", "--preset", "none", "--json").data
    assert run["provider"] == "simulated"
    with Workspace.open(file) as workspace:
        row = workspace.one_row("SELECT options FROM runs WHERE id = ?", [run["run"]])
    assert '"max_api_calls":0' in str(row and row[0]).replace(" ", "")
    assert command_here("run", file, "q", "--preset", "gone").status == 2
    refused = command_here("presets", "save", file, "odd", "--max-replans", "many")
    assert refused.status == 2
    assert "max_replans of strategy tool-planner" in refused.err


def test_usual_models_when_saved_by_the_person_then_flags_and_presets_win(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    done("presets", "save", file, "before")
    roles = {"acting": "small", "planning": "large", "judging": ""}
    save_settings(Settings(endpoint=EndpointSettings(roles=roles)))

    def models(*flags: object) -> tuple[str, dict[str, str]]:
        done("presets", "save", file, "made", *flags)
        with Workspace.open(file) as workspace:
            made = read_preset(workspace, "made")
        return made.model, dict(made.roles)

    assert models() == ("openai:small", {"planning": "openai:large"})
    assert models("--planning-model", "offline") == ("openai:small", {"planning": "offline"})
    assert models("--judging-model", "openai:j")[1] == {
        "planning": "openai:large",
        "judging": "openai:j",
    }
    assert models("--model", "offline") == ("offline", {})
    assert models("--preset", "before") == ("offline", {})
    save_settings(Settings(endpoint=EndpointSettings(model="usual")))
    assert models() == ("openai:usual", {}), "it is what runs use, and not only descriptions"
    assert models("--model", "offline") == ("offline", {})
    save_settings(Settings(endpoint=EndpointSettings(model="usual", roles={"acting": "small"})))
    assert models() == ("openai:small", {})


def test_run_when_the_person_has_usual_models_then_it_is_run_and_recorded_with_them(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    there = "http://127.0.0.1:9/v1"  # never reached: no question may be asked
    monkeypatch.setenv("OPENAI_BASE_URL", there)
    roles = {"acting": "small", "planning": "large"}
    save_settings(Settings(endpoint=EndpointSettings(roles=roles)))
    run = command_here("run", file, "Say hello", "--max-model-calls", 0, "--json").data
    assert run["model"] == "openai:small"
    with Workspace.open(file) as workspace:
        kept = get_run(workspace, run["run"])
    assert roles_from(kept.options) == {"planning": "openai:large"}


def test_presets_of_papers_when_listed_run_and_changed_then_there_and_never_replaced(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    roles = {"acting": "small", "planning": "large", "judging": ""}
    save_settings(Settings(endpoint=EndpointSettings(roles=roles)))
    listed = done("presets", "list", file, "--json").data
    assert {"paper:tool-planner", "paper:toolnet", "paper:anytool", "paper:atc"} <= set(listed)
    assert "None is your own yet" in done("presets", "list", file).out
    row = shown(file, "paper:toolnet")
    assert (row["strategy"], row["options"]["start"]) == ("toolnet", 1)
    assert (row["model"], row["roles"]) == ("openai:small", {"planning": "openai:large"})
    refused = command_here("presets", "save", file, "paper:toolnet", "--strategy", "react")
    assert (refused.status, "cannot be replaced" in refused.err) == (2, True)
    refused = command_here("presets", "delete", file, "paper:toolnet")
    assert (refused.status, "no saved preset" in refused.err) == (2, True)
    done("presets", "save", file, "mine", "--preset", "paper:toolnet", "--start", 3)
    assert shown(file, "mine")["options"] == row["options"] | {"start": 3}
    # A model that is named does all, as without a preset.
    done("presets", "save", file, "m", "--preset", "paper:toolnet", "--model", "openai:one")
    assert (shown(file, "m")["model"], shown(file, "m")["roles"]) == ("openai:one", {})
    flags = ("--model", "offline", "--provider", "simulated", "--max-calls", 0, "--json")
    run = command_here("run", file, "Say hello", "--preset", "paper:tool-planner", *flags)
    assert (run.data["strategy"], run.data["model"]) == ("tool-planner", "offline")
    with Workspace.open(file) as workspace:
        kept = get_run(workspace, run.data["run"]).options
    assert '"toolkit_text": null' in json.dumps(kept)


def test_strategy_when_shown_then_says_what_the_paper_has_and_what_stays_different() -> None:
    told = done("strategies", "show", "toolnet").out
    assert "and why a default is another one" in told
    (said,) = [line for line in told.splitlines() if "only the most recommended tool: 1" in line]
    assert " ".join(said.split()) == (
        "start only the most recommended tool: 1 its text 1 5 one wrong start ends a run"
    )
    assert "  - The paper offers every successor" in told
    clustering = done("clusterings", "show", "dbscan").out
    assert "0.02, best of table 8" in clustering
    assert "taken from the distances of your own vectors" in clustering
    row = done("strategies", "show", "toolnet", "--json").data
    assert row["published"]["options"]["mixed"] == 0
    assert len(row["published"]["differences"]) == 5
    mixed = next(one for one in row["published"]["settings"] if one["option"] == "mixed")
    assert (mixed["value"], mixed["source"]) == (0, "its text")
    assert mixed["why"] == "APIs that are new to the graph are found, too"
    assert done("strategies", "show", "health", "--json").data["published"] is None
    assert "Paper" not in done("strategies", "show", "health").out


def test_cluster_when_the_papers_settings_are_asked_for_then_flags_go_before_them(
    file: Path,
) -> None:
    made = _clustering_options("kmeans", {"k": "65"}, "paper")
    assert (made.k, made.is_plain, made.max_rounds) == (65, True, 300)
    assert not _clustering_options("kmeans", {}, None).is_plain
    refused = command_here("cluster", file, "--method", "hdbscan", "--preset", "paper")
    assert (refused.status, "no settings of a paper for hdbscan" in refused.err) == (2, True)
