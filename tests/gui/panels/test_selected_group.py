"""Several selected APIs in the details: listed, with what can be done with them."""

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from toolplanner_gui.panels.details.several_apis_page import SeveralApisPage
from toolplanner_gui.theme.tokens import ROW_HEIGHT
from toolplanner_gui.viewmodels.curate.toolkit_model import ROWID_ROLE
from toolplanner_gui.viewmodels.item_models import KEY_ROLE
from toolplanner_gui.windows.main_window import MainWindow


@pytest.fixture
def desk(window: MainWindow, demo, qtbot) -> MainWindow:
    context = window._context
    context.tasks.spawn(context.open_workspace(demo), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    return window


def caught(desk: MainWindow, qtbot, points: list[int]):
    """The page after a lasso around some points."""
    context = desk._context
    mask = np.zeros(len(context.selection.mask), bool)
    mask[points] = True
    context.selection.set_mask(mask, {"by": "lasso", "points": []})
    page = desk._desk.docks.panel("details").group_page
    qtbot.waitUntil(lambda: page.apis_model.rowCount() == len(points))
    return page


def test_group_when_a_lasso_has_caught_apis_then_each_is_listed_and_can_be_chosen(desk, qtbot):
    page, selection = caught(desk, qtbot, [3, 60, 150]), desk._context.selection
    before = sorted(selection.rowids())
    listed = [page.apis_model.index(i, 0).data(KEY_ROLE) for i in range(3)]
    assert sorted(listed) == before
    assert page.title.text() == "3 APIs selected"
    page.apis.setCurrentIndex(page.apis_model.index(1, 0))
    assert selection.rowids().tolist() == [listed[1]]
    assert page.apis_model.rowCount() == 3
    assert page.title.text() == "1 of 3 APIs selected"


def test_list_when_apis_and_a_toolkit_are_marked_then_all_that_is_marked_is_selected(desk, qtbot):
    context, panel = desk._context, desk._desk.docks.panel("toolkits")
    model, chosen = panel.model, panel.tree.selectionModel()
    first, other = model.toolkits[:2]
    panel.tree.expand(model.index_of(first.id))
    model.fetchMore(model.index_of(first.id))
    flag = chosen.SelectionFlag
    member = model.index(0, 0, model.index_of(first.id))
    chosen.select(member, flag.ClearAndSelect | flag.Rows)
    chosen.select(model.index_of(other.id), flag.Select | flag.Rows)
    members = context.catalogue.rowids[context.catalogue.points_of_toolkit(other.id)]
    wanted = {member.data(ROWID_ROLE), *members.tolist()}
    assert set(context.selection.rowids().tolist()) == wanted
    assert len(context.chosen.shares) == 2


def test_group_when_buttons_are_pressed_then_they_act_on_what_is_selected(desk, qtbot):
    page, context = caught(desk, qtbot, [3, 60, 150]), desk._context
    names = [button.defaultAction().objectName() for button in page.buttons]
    assert names == [
        "curate.new", "curate.move", "curate.merge", "curate.pin", "select.only", "select.table",
    ]  # fmt: skip
    assert all(button.isEnabled() and button.icon() for button in page.buttons)
    page.buttons[4].click()
    assert np.flatnonzero(context.map_look.visible).tolist() == [3, 60, 150]
    page.buttons[5].click()
    table = desk._desk.docks.panel("apis")
    qtbot.waitUntil(lambda: table.is_idle and table.model.rowCount() == 3)
    assert table.only.isChecked()
    page.buttons[3].click()
    qtbot.waitUntil(lambda: context.catalogue.pinned.sum() == 3)
    assert Qt.ToolButtonStyle.ToolButtonTextBesideIcon == page.buttons[0].toolButtonStyle()


def test_group_when_its_panel_is_low_then_the_lists_give_way_and_no_button_covers_another(
    theme, qtbot
):
    def fill(menu: QMenu) -> None:
        for n in range(6):
            menu.addAction(f"Action {n}")

    page = SeveralApisPage(fill)
    qtbot.addWidget(page)
    page.show_group(3, [(None, 3)], {})
    page.resize(230, 185)
    page.show()
    places = [button.geometry() for button in page.buttons]
    assert all(place.height() >= ROW_HEIGHT for place in places)
    assert not any(a.intersects(b) for a, b in combinations(places, 2))
    assert page.pages.geometry().top() > places[-1].bottom()
