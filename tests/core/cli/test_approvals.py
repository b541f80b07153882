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
    assert "every call that may change something asks" in command_here("approvals", "list").out
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


def test_rules_when_a_risk_was_said_then_the_list_says_so(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        rowid = all_rowids(workspace)[0]
        api = apis_by_rowid(workspace, [rowid])[rowid]
    # By the key that the program prints, as by its id.
    command_here("approvals", "risk", demo, api.key, "destructive")
    listed = command_here("approvals", "list").out
    assert f"{api.title}: destructive, documented as {api.risk}" in listed
    (said,) = json.loads(command_here("approvals", "risks", "--json").out)
    assert (said["api"], said["risk"]) == (api.id, "destructive")
    command_here("approvals", "risk", demo, api.id[:10], "documented")
    assert json.loads(command_here("approvals", "risks", "--json").out) == []
    assert api.title not in command_here("approvals", "list").out


def test_call_when_the_api_is_named_by_its_key_then_it_is_that_api(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        rowid = all_rowids(workspace)[0]
        api = apis_by_rowid(workspace, [rowid])[rowid]
    by_key = command_here("call", demo, api.key, "{}", "--dry-run")
    by_id = command_here("call", demo, api.id, "{}", "--dry-run")
    assert (by_key.status, by_key.out, by_key.err) == (by_id.status, by_id.out, by_id.err)
    assert "There is no API" not in by_key.err


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
