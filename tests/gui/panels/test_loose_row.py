"""The last row of the toolkit list after an import: what has no place yet is told."""

from fixtures.catalogues import add_apis, made_up_apis

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.loose_row import LooseRow


def test_row_when_apis_came_in_and_were_not_placed_then_it_leads_to_preparing(
    opened: AppContext, qtbot
) -> None:
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    row = LooseRow(opened)
    qtbot.addWidget(row)
    assert row.isHidden() or row.text().startswith("Without a toolkit")
    assert opened.workspace is not None
    add_apis(opened.workspace, made_up_apis(1)[:3])
    n = opened.catalogue.n_apis
    opened.reload_catalogue()
    qtbot.waitUntil(lambda: opened.catalogue.n_apis == n + 3)
    assert row.text() == "3 new APIs without a place · Prepare …"
    assert not row.isHidden()
    asked: list[str] = []
    opened.shell.open = lambda dialog, **_: asked.append(dialog)
    row.click()
    assert asked == ["prepare"]
