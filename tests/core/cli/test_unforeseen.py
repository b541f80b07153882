"""A fault of the program in the terminal: a sentence and a file to send, never a traceback."""

import re
from pathlib import Path

import pytest
from fixtures.catalogues import ready_workspace
from fixtures.command_line import Outcome, toolplanner
from fixtures.foreign_plugins import SAMPLES, found_in, install

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_count
from toolplanner_core.workspace.toolkits import list_toolkits

SECRET = "sk-canary-4711"
_BREAKS = {
    # The line of the sample -> the same with a fault.
    "clusterings": ('    report("Dealing", 0, len(vectors))', f'    raise KeyError("{SECRET}")'),
    "layouts": ('    report("Lining up", 0, len(vectors))', f'    raise KeyError("{SECRET}")'),
    "sources": ("    ids = ApiIds(source)", f'    raise KeyError("{SECRET}")\n    yield'),
}
_BAD_RULE = """
    from toolplanner_core.curation.naming import toolkit_names

    rule = toolkit_names.placeholder_names

    def failing(book, apis, members):
        if 0 in members:
            raise KeyError("sk-canary-4711")
        return rule(book, apis, members)

    toolkit_names.placeholder_names = failing
"""
"""In the worker, where toolkits are named: fails for the toolkit of the first API."""


def installed(folder: Path, kind: str, old: str, new: str) -> dict[str, str]:
    """The sample plug-in of a kind with one line changed; the environment that finds it."""
    folder.mkdir()
    text = (SAMPLES / f"acme_{kind}.py").read_text("utf-8")
    assert old in text
    (folder / f"acme_{kind}.py").write_text(text.replace(old, new), encoding="utf-8")
    install(folder, f"acme-{kind}", {kind: {"acme": f"acme_{kind}:PLUGIN"}})
    return found_in(folder)


@pytest.fixture
def ready(workspace: Workspace) -> Path:
    """The file of a workspace that can be clustered."""
    ready_workspace(workspace)
    workspace.close()
    return workspace.path


def check_is_a_sentence(done: Outcome) -> None:
    """One line, no traceback, exit code 1; what it names to be sent holds nothing of the person."""
    said = done.err + done.out
    assert done.status == 1, said
    assert "Traceback" not in said and SECRET not in said
    (line,) = [line for line in done.err.splitlines() if line.startswith("Error: ")]
    assert "because of a fault in the program (KeyError" in line
    assert "What was stored before is as it was" in line
    found = re.search(r"Please send (\S+\.txt) ", line)
    assert found is not None
    report = Path(found[1]).read_text("utf-8")
    assert "KeyError" in report and SECRET not in report
    assert re.search(r"acme_\w+\.py:\d+", report), "the place in the worker is told, too"


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        ("clusterings", ["cluster", "--method", "acme"]),
        ("clusterings", ["prepare", "--embedder", "lsa", "--clustering", "acme"]),
        ("layouts", ["layout", "--method", "acme"]),
    ],
)
def test_command_when_a_plugin_has_a_fault_then_it_is_a_sentence_and_nothing_is_changed(
    ready: Path, tmp_path: Path, kind: str, command: list[str]
) -> None:
    environment = installed(tmp_path / "site", kind, *_BREAKS[kind])
    name, *rest = command
    check_is_a_sentence(toolplanner(name, ready, *rest, **environment))
    with Workspace.open(ready) as opened:
        assert list_toolkits(opened) == []
        assert api_count(opened) > 0


def test_import_when_a_source_has_a_fault_then_it_is_a_sentence_and_nothing_came_in(
    ready: Path, tmp_path: Path
) -> None:
    environment = installed(tmp_path / "site", "sources", *_BREAKS["sources"])
    (tmp_path / "list.txt").write_text("acme\nweather: tells the weather\n", encoding="utf-8")
    with Workspace.open(ready) as opened:
        before = api_count(opened)
    check_is_a_sentence(
        toolplanner("import", ready, tmp_path / "list.txt", "--format", "acme", **environment)
    )
    with Workspace.open(ready) as opened:
        assert api_count(opened) == before


def test_cluster_when_a_toolkit_cannot_be_named_then_all_are_there_and_one_line_tells(
    ready: Path, tmp_path: Path
) -> None:
    old, _ = _BREAKS["clusterings"]
    environment = installed(tmp_path / "site", "clusterings", old, f"{_BAD_RULE}{old}")
    done = toolplanner("cluster", ready, "--method", "acme", **environment)
    assert done.status == 0, done.err
    assert "Traceback" not in done.err + done.out and SECRET not in done.err + done.out
    (line,) = [line for line in done.out.splitlines() if line.startswith("Not made, ")]
    assert "1 name of a toolkit (such a name begins with “Unnamed”)" in line
    assert "Please send " in line
    with Workspace.open(ready) as opened:
        names = [toolkit.name for toolkit in list_toolkits(opened)]
    assert len(names) == 2
    assert [name.startswith("Unnamed: ") for name in names].count(True) == 1
