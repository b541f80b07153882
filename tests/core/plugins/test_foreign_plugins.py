"""A plug-in that another distribution brings is found by the command line, with no file touched.

Each test installs one small plug-in through an entry point and runs the real command line in a
process of its own: list, show, help, flags, and the work that this kind of plug-in does.
"""

import shutil
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import Outcome, toolplanner
from fixtures.foreign_plugins import found_in, install, install_sample
from fixtures.small_catalogue import APIS, import_small_catalogue

from toolplanner_core.curation.grouping.prepare import prepare
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace

QUERY = "What is the weather forecast for Lyon?"


@pytest.fixture(scope="module")
def prepared_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small catalogue with toolkits and a map; copied before it is changed."""
    folder = tmp_path_factory.mktemp("prepared")
    with Workspace.create(folder / "w.toolplanner") as workspace:
        import_small_catalogue(workspace, folder)
        prepare(workspace, embedder="lsa", layout="pca", progress=Progress())
    return folder / "w.toolplanner"


@pytest.fixture
def file(prepared_file: Path, tmp_path: Path) -> Path:
    """A prepared workspace of this test's own."""
    return Path(shutil.copy(prepared_file, tmp_path / "w.toolplanner"))


def done(*arguments: object, said: str = "", **environment: str) -> Outcome:
    outcome = toolplanner(*arguments, said=said, **environment)
    assert outcome.status == 0, outcome.err
    return outcome


def rows_of(kind: str, **environment: str) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in done(kind, "list", "--json", **environment).data}


@pytest.mark.parametrize(
    ("kind", "option", "command"),
    [
        ("sources", "tool", ["import", "w", "f", "--format", "acme"]),
        ("embedders", "letters", ["embed", "w", "--embedder", "acme"]),
        ("clusterings", "groups", ["cluster", "w", "--method", "acme"]),
        ("layouts", "slope", ["layout", "w", "--method", "acme"]),
        ("providers", "reply", ["run", "w", "q", "--provider", "acme"]),
        ("models", "voice", ["run", "w", "q", "--model", "acme:one"]),
        ("strategies", "greeting", ["run", "w", "q", "--strategy", "acme"]),
    ],
)
def test_plugin_when_installed_then_listed_shown_and_explained(
    tmp_path: Path, kind: str, option: str, command: list[str]
) -> None:
    environment = install_sample(tmp_path / "site", kind)
    row = rows_of(kind, **environment)["acme"]
    assert (row["title"], row["from"], row["broken"]) == ("Acme", f"acme-{kind}", None)
    described = row["options"][0]
    assert described["name"] == option
    shown = done(kind, "show", "acme", **environment).out
    assert option in shown
    assert described["explanation"] in shown
    help_text = " ".join(done(*command, "--help", **environment).out.split())
    prefix = {"providers": "provider-", "models": "model-"}.get(kind, "")
    assert f"--{prefix}{option}" in help_text
    assert described["explanation"] in help_text
    refused = toolplanner(*command, "--colour", "red", **environment)
    assert refused.status == 2
    assert f"--{prefix}{option}" in refused.err


def test_source_when_installed_then_recognised_and_imported(file: Path, tmp_path: Path) -> None:
    environment = install_sample(tmp_path / "site", "sources")
    text = "acme\nwave: Wave a hand.\nbow: Bow deeply.\n"
    (tmp_path / "acts.txt").write_text(text)
    command = ("import", file, tmp_path / "acts.txt", "--json")
    assert done(*command, **environment).data["added"] == 2
    named = done(*command, "--format", "acme", "--tool", "Mime", **environment).data
    assert named["added"] == 2
    pasted = done("import", file, "-", "--json", "-o", "tool=Mime", said=text, **environment)
    assert pasted.data["unchanged"] == 2
    tools = {row["tool"] for row in done("apis", "list", file, "--json").data}
    assert tools >= {"Acme", "Mime"}


def test_source_when_it_cannot_judge_then_the_others_still_read(file: Path, tmp_path: Path) -> None:
    environment = install_sample(tmp_path / "site", "sources")
    sample = tmp_path / "site" / "acme_sources.py"
    sample.write_text(
        sample.read_text().replace("    return float(any(", "    return float(1 / 0, (")
    )
    (tmp_path / "f.json").write_text('{"name": "wave", "parameters": {"type": "object"}}')
    outcome = done("import", file, tmp_path / "f.json", "--json", **environment)
    assert outcome.data["added"] == 1
    assert "The source acme cannot judge this sample" in outcome.err


def test_embedder_when_installed_then_embeds_and_keeps_its_options(
    file: Path, tmp_path: Path
) -> None:
    environment = install_sample(tmp_path / "site", "embedders")
    embed = ("embed", file, "--embedder", "acme", "--json")
    report = done(*embed, "--letters", 5, **environment).data
    assert (report["embedder"], report["dim"], report["encoded"]) == ("acme@5", 5, len(APIS))
    assert done(*embed, **environment).data["embedder"] == "acme@5"
    refused = toolplanner(*embed, "--letters", 99, **environment)
    assert refused.status == 2
    assert "from 2 to 26" in refused.err


def test_clustering_when_installed_then_makes_toolkits(file: Path, tmp_path: Path) -> None:
    environment = install_sample(tmp_path / "site", "clusterings")
    report = done("cluster", file, "--method", "acme", "--groups", 3, "--json", **environment).data
    assert (report["method"], report["toolkits"]) == ("acme", 3)


def test_layout_when_installed_then_places(file: Path, tmp_path: Path) -> None:
    environment = install_sample(tmp_path / "site", "layouts")
    report = done("layout", file, "--method", "acme", "-o", "slope=0.25", "--json", **environment)
    assert report.data["legend"] == "Lined up with slope 0.25"


def test_preparing_when_all_of_its_plugins_are_installed_then_takes_their_options(
    file: Path, tmp_path: Path
) -> None:
    for kind in ("embedders", "clusterings", "layouts"):
        environment = install_sample(tmp_path / "site", kind)
    report = done(
        "prepare", file, "--json", "--embedder", "acme", "--embedder-letters", 4,
        "--clustering", "acme", "--clustering-groups", 2, "--layout", "acme",
        "--layout-slope", 1, **environment,
    ).data  # fmt: skip
    assert report["embed"]["embedder"] == "acme@4"
    assert report["cluster"]["toolkits"] == 2
    assert report["layout"]["legend"] == "Lined up with slope 1"


def test_strategy_when_installed_then_solves(file: Path, tmp_path: Path) -> None:
    environment = install_sample(tmp_path / "site", "strategies")
    run = ("run", file, QUERY, "--strategy", "acme", "--json")
    said = done(*run, "--greeting", "goodbye", "-o", "times=2", "--is-loud", **environment).data
    assert (said["strategy"], said["answer"]) == ("acme", "GOODBYE GOODBYE")
    refused = toolplanner(*run, "--greeting", "ahoy", **environment)
    assert refused.status == 2
    assert "Choose hello or goodbye" in refused.err


def test_provider_when_installed_then_executes_calls(file: Path, tmp_path: Path) -> None:
    environment = install_sample(tmp_path / "site", "providers")
    run = toolplanner(
        "run", file, QUERY, "--provider", "acme", "--provider-reply", "parrots", "--json",
        **environment,
    ).data  # fmt: skip
    assert run["provider"] == "acme"
    assert run["api_calls"] >= 1
    assert "parrots" in run["answer"]
    assert run["status"] == "unsolved", "Lyon is no matter of parrots"


def test_model_when_installed_then_answers_under_its_name_and_options(
    file: Path, tmp_path: Path
) -> None:
    environment = install_sample(tmp_path / "site", "models")
    run = toolplanner("run", file, QUERY, "--model", "acme:one", "--model-voice", "high", "--json",
                      **environment).data  # fmt: skip
    assert run["model"] == "acme:one?voice=high"
    shown = done("runs", "export", file, run["run"], **environment)
    assert "acme one with a high voice" in shown.out


BROKEN = {
    "raises": ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
    "leaves": ("import sys; sys.exit(3)", "SystemExit: 3"),
    "empty": ("", "has no attribute 'PLUGIN'"),
    "text": ("PLUGIN = 'kmeans'", "it is of the class str, not ClusteringPlugin"),
    "taken": (
        "from toolplanner_core.clustering.kmeans import PLUGIN",
        "the id 'kmeans' is taken already",
    ),
    "named": (
        "import dataclasses; from toolplanner_core.clustering.kmeans import PLUGIN\n"
        "PLUGIN = dataclasses.replace(PLUGIN, id='K Means')",
        "the id 'K Means' is not of small letters",
    ),
    "options": (
        "import dataclasses; from toolplanner_core.clustering.kmeans import PLUGIN\n"
        "PLUGIN = dataclasses.replace(PLUGIN, id='odd', options=dict)",
        "are no frozen dataclass",
    ),
}


def test_plugins_when_broken_then_left_out_with_the_reason_and_the_others_work(
    file: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for name, (source, _) in BROKEN.items():
        (site / f"acme_{name}.py").write_text(source)
    entries = {name: f"acme_{name}:PLUGIN" for name in BROKEN} | {"gone": "acme_gone:PLUGIN"}
    install(site, "acme-broken", {"clusterings": entries})
    rows = rows_of("clusterings", **found_in(site))
    assert rows["kmeans"]["from"] == "toolplanner"
    reasons = {name: row["broken"] for name, row in rows.items() if row["broken"]}
    assert reasons.keys() == entries.keys()
    for name, (_, reason) in BROKEN.items():
        assert reason in reasons[name]
    assert "No module named 'acme_gone'" in reasons["gone"]
    listed = done("-v", "clusterings", "list", **found_in(site))
    assert "Left out: raises of acme-broken: RuntimeError: no licence" in listed.out
    assert "WARNING toolplanner_core.registry: raises of acme-broken is left out" in listed.err
    refused = toolplanner("cluster", file, "--method", "raises", **found_in(site))
    assert refused.status == 2
    assert "no licence" in refused.err
    assert done("cluster", file, "--k", 2, "--json", **found_in(site)).data["toolkits"] == 2


def test_command_when_installed_then_listed_and_run(tmp_path: Path) -> None:
    environment = install_sample(tmp_path / "site", "commands")
    assert "Greet from elsewhere." in done("--help", **environment).out
    assert "How often." in done("acme", "--help", **environment).out
    assert done("acme", "--times", 2, **environment).out == "hello hello\n"


def test_command_when_broken_or_taken_then_left_out_with_the_reason(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "acme_bad.py").write_text("PLUGIN = 7")
    install(site, "acme-bad", {"commands": {"bad": "acme_bad:PLUGIN", "run": "acme_bad:PLUGIN"}})
    help_text = " ".join(done("--help", **found_in(site)).out.split())
    assert "Left out: acme-bad brings it, and the name is taken" in help_text
    assert "bad Left out: acme-bad brings it, and it cannot be used" in help_text
    refused = toolplanner("bad", "--anything", **found_in(site))
    assert refused.status == 2
    assert "it is of the class int, not a click command" in refused.err
    assert "Solve QUERY" in done("run", "--help", **found_in(site)).out
