"""What a person says of an API's risk: it decides what asks, and no workspace can bring it."""

import json
import shutil
from pathlib import Path

import pytest
from fixtures.command_line import command_here

from toolplanner_core.domain.api import Risk, example_arguments
from toolplanner_core.providers.standing_permissions import standing_permissions
from toolplanner_core.risk_overrides import override_risk, risk_overrides, with_risk_override
from toolplanner_core.strategies.health import is_checkable
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid, get_api


@pytest.fixture
def file(demo_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "mine" / "settings.json"))
    return Path(shutil.copy(demo_file, tmp_path / "w.toolplanner"))


def test_risk_when_raised_and_taken_back_then_read_everywhere_so(file: Path) -> None:
    with Workspace.open(file) as workspace:
        api = apis_by_rowid(workspace, [1])[1]
        assert api.risk is Risk.READ
        override_risk(api, Risk.DESTRUCTIVE)
        assert apis_by_rowid(workspace, [1])[1].risk is Risk.DESTRUCTIVE
        assert get_api(workspace, api.id).risk is Risk.DESTRUCTIVE
        [leave] = standing_permissions()
        assert leave.what.endswith("destructive, documented as read")
        assert leave.since
        leave.take_back()
        assert get_api(workspace, api.id).risk is Risk.READ
        assert not risk_overrides()


def test_risk_when_lowered_then_only_for_the_documentation_it_was_said_of(file: Path) -> None:
    with Workspace.open(file) as workspace:
        risen = "UPDATE apis SET risk = 'destructive' WHERE rowid = 1"
        workspace.writer.run(lambda db: db.execute(risen).rowcount)
        api = apis_by_rowid(workspace, [1])[1]
        override_risk(api, Risk.READ)
        assert get_api(workspace, api.id).risk is Risk.READ
        changed = "UPDATE apis SET doc_hash = 'other' WHERE rowid = 1"
        workspace.writer.run(lambda db: db.execute(changed).rowcount)
        assert get_api(workspace, api.id).risk is Risk.DESTRUCTIVE
        assert override_risk(get_api(workspace, api.id), Risk.DESTRUCTIVE) is None


def test_risk_when_another_person_opens_the_file_then_as_documented(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Workspace.open(file) as workspace:
        api = apis_by_rowid(workspace, [1])[1]
        override_risk(api, Risk.WRITE)
        assert with_risk_override(api).risk is Risk.WRITE
        monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "theirs" / "settings.json"))
        assert get_api(workspace, api.id).risk is Risk.READ


def test_risk_when_said_in_the_terminal_then_a_call_asks_and_lowering_warns(file: Path) -> None:
    with Workspace.open(file) as workspace:
        found = apis_by_rowid(workspace, list(range(1, 40))).values()
        api = next(api for api in found if is_checkable(api))
    assert "destructive" in command_here("approvals", "risk", file, api.id, "destructive").out
    refused = command_here("call", file, api.id, json.dumps(example_arguments(api)))
    assert (refused.status, "may change something outside" in refused.err) == (2, True)
    back = command_here("approvals", "risk", file, api.id, "documented")
    assert back.out.endswith("read\n")
    with Workspace.open(file) as workspace:
        risen = f"UPDATE apis SET risk = 'write' WHERE id = '{api.id}'"
        workspace.writer.run(lambda db: db.execute(risen).rowcount)
    assert "Warning" in command_here("approvals", "risk", file, api.id, "read").err
