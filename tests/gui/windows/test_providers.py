"""Providers, allowed origins and keys in the window: each change counts at once."""

from pathlib import Path

import pytest
from fixtures.http_world import http_api
from fixtures.rough_site import HttpSite, WebAnswer

from toolplanner_core.approvals import add_approval, load_approvals
from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.approval import Approval, ApprovalScope, scope_title, scope_value
from toolplanner_core.domain.operation import Operation, Origin
from toolplanner_core.errors import NetworkRefused, NotFound
from toolplanner_core.keys import KeyName, person_keys
from toolplanner_core.mcp_servers.consent import allow, consent_days, consents
from toolplanner_core.mcp_servers.server_spec import ServerSpec
from toolplanner_core.net.addresses import allowed_origins
from toolplanner_core.providers.routes import routes_of
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.words.window_places import SEE_RUNS, SERVERS, replace_places_by_commands
from toolplanner_core.workspace import Workspace
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.bridge.errors import describe
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.providers_dialog import ProvidersDialog

SECRET = "canary-of-the-dialog"


@pytest.fixture
def site():
    with HttpSite() as made:
        yield made


@pytest.fixture
def dialog(window: MainWindow, tmp_path: Path, site: HttpSite, qtbot) -> ProvidersDialog:
    """Over a workspace of one source, whose server is the site."""
    file = tmp_path / "one.toolplanner"
    with Workspace.create(file) as workspace:
        operation = Operation(method="GET", servers=(f"{site.origin}/v1",), path="/a")
        apis = [http_api(operation)]
        import_apis(workspace, apis, source_name="shop", format_id="openapi", location="a test")
    context = window._context
    open_later(context, file)
    qtbot.waitUntil(lambda: context.catalogue.n_apis == 1)
    window.open(dialog_commands.providers)
    (made,) = window.findChildren(ProvidersDialog)
    return made


def test_source_when_a_provider_is_chosen_then_it_serves(dialog: ProvidersDialog, qtbot) -> None:
    row = dialog.rows["shop"]
    assert row.provider.currentText() == "As usual (HTTP)"
    row.provider.setCurrentIndex(row.provider.findData("simulated"))
    row.provider.activated.emit(row.provider.currentIndex())
    row.base_url.setText("http://localhost:9")
    row.rate.setValue(2.5)
    row.base_url.editingFinished.emit()
    (route,) = routes_of(dialog.context.file)
    assert (route.provider, route.base_url) == ("simulated", "http://localhost:9")
    assert route.per_second == 2.5
    row.base_url.setText("nonsense")
    row.base_url.editingFinished.emit()
    assert not dialog.banner.isHidden()
    assert routes_of(dialog.context.file) == [route]


def test_server_when_tested_then_asked_only_if_it_is_allowed(
    dialog: ProvidersDialog, site: HttpSite, qtbot
) -> None:
    site.on("/", WebAnswer(status=404))
    row = dialog.rows["shop"]
    row.test_button.click()
    qtbot.waitUntil(lambda: "not on the open internet" in dialog.outcome.text())
    assert not site.asked
    dialog.origin_field.setText(site.origin)
    dialog.allow_button.click()
    try:
        row.test_button.click()
        qtbot.waitUntil(lambda: "answers (HTTP 404" in dialog.outcome.text())
    finally:
        dialog.origins.selectAll()
        dialog.forbid_button.click()
    assert allowed_origins() == frozenset()


def test_key_when_saved_then_listed_without_its_value_and_deleted(
    dialog: ProvidersDialog,
) -> None:
    dialog.key_origin.setText("https://api.test")
    dialog.key_value.setText(SECRET)
    dialog.save_button.click()
    name = KeyName(Origin.of("https://api.test"))
    assert name in person_keys().names()
    assert dialog.key_value.text() == ""
    model = dialog.keys.model()
    shown = [model.index(0, column).data() for column in range(model.columnCount())]
    assert shown == ["https://api.test", "any", "this session"]
    dialog.keys.selectAll()
    dialog.delete_button.click()
    assert person_keys().names() == {}


def test_leave_when_given_then_listed_with_since_when_and_taken_back(
    dialog: ProvidersDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    api = http_api(None, risk=Risk.WRITE)
    scope = ApprovalScope.API
    rule = Approval(
        allows=True, scope=scope, value=scope_value(scope, api), title=scope_title(scope, api),
        up_to=Risk.WRITE, given="2026-11-21", doc_hash="1",
    )  # fmt: skip
    add_approval(rule)
    allow(ServerSpec(name="time", command="uvx", args=("mcp-server-time",)))
    dialog.attempt(lambda: "")
    model = dialog.leave.list.model()
    rows = [[model.index(row, column).data() for column in range(3)] for row in range(2)]
    assert rows[0] == [
        "allow writing: Shop · a", "calls of this API, as it is documented now", "2026-11-21",
    ]  # fmt: skip
    assert rows[1][0] == "start or reach: uvx mcp-server-time"
    assert rows[1][2] == next(iter(consent_days().values()))
    assert not dialog.leave.revoke_button.isEnabled()
    dialog.leave.list.selectAll()
    dialog.leave.revoke_button.click()
    assert (load_approvals(), consents(), model.rowCount()) == ([], {}, 0)
    assert "It is asked again" in dialog.outcome.text()


def test_message_when_it_says_what_to_do_then_window_and_terminal_name_their_own_places() -> None:
    gone = describe(NotFound("There is no run 7", todo=SEE_RUNS))
    assert (gone.what, gone.todo) == (
        "There is no run 7", "See the runs there are in the panel Runs",
    )  # fmt: skip
    assert replace_places_by_commands(gone.todo) == "List them with: toolplanner runs list"
    refused = describe(NetworkRefused("no", todo=f"Allow the origin if you trust it: {SERVERS}"))
    assert "Run > Providers and keys > Servers" in refused.todo
    assert refused.offered == ("run.providers",)
