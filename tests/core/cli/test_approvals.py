"""`toolplanner approvals`: rules given, listed and revoked."""

import json
from pathlib import Path

import pytest
from fixtures.command_line import command_here

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid


@pytest.fixture(autouse=True)
def own_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "person" / "settings.json"))


def test_rules_when_given_listed_and_revoked_then_each_says_what_it_does(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        rowid = all_rowids(workspace)[0]
        api = apis_by_rowid(workspace, [rowid])[rowid]
    assert "every such call asks" in command_here("approvals", "list").out
    more = ("--where", "name=R*", "--up-to", "write")
    given = command_here("approvals", "add", demo, "allow", api.id, *more)
    assert given.out == f"From now on: allow writing: {api.title}, where name = R*.\n"
    command_here("approvals", "add", demo, "refuse", api.id, "--for", "tool")
    rules = json.loads(command_here("approvals", "list", "--json").out)
    assert [(rule["number"], rule["allows"], rule["value"]) for rule in rules] == [
        (1, True, api.id), (2, False, f"demo/{api.tool}"),
    ]  # fmt: skip
    assert command_here("approvals", "revoke", 2).out == f"Forgotten: refuse: {api.tool}.\n"
    assert len(json.loads(command_here("approvals", "list", "--json").out)) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("revoke", 3), "There is no rule 3"),
        (("add", "{demo}", "allow", "nothing"), "nothing"),
    ],
)
def test_rules_when_what_is_named_is_not_there_then_said_and_nothing_is_kept(
    demo: Path, arguments: tuple[object, ...], words: str
) -> None:
    named = [demo if part == "{demo}" else part for part in arguments]
    outcome = command_here("approvals", *named)
    assert outcome.status != 0 and words in outcome.err
    assert json.loads(command_here("approvals", "list", "--json").out) == []
