"""The panel of demonstrations over a real file: list, search, edit, tag, delete, export."""

import json
from pathlib import Path

import pytest

from toolplanner_core.domain.demonstration import Demonstration, DemonstrationStep
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_core.workspace.demonstrations import add_demonstration, list_demonstrations
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.demonstrations_panel import DemonstrationsPanel, write_training_set


@pytest.fixture
def panel(opened: AppContext, qtbot) -> DemonstrationsPanel:
    made = DemonstrationsPanel(opened)
    qtbot.addWidget(made)
    made.resize(1000, 300)
    made.show()
    qtbot.waitUntil(lambda: made.is_idle)
    return made


@pytest.fixture
def filled(panel: DemonstrationsPanel, qtbot) -> DemonstrationsPanel:
    api = str(api_names(panel.context.file)[0].id)
    for query, tag in (("Weather in Oslo", "weather"), ("Price of a share", "money")):
        step = DemonstrationStep(goal="find it", api=api, title="Meteo · now")
        made = Demonstration(id=0, query=query, steps=(step,), answer="Here.", tags=(tag,))
        add_demonstration(panel.context.file, made)
    panel.mark_outdated()
    qtbot.waitUntil(lambda: panel.is_idle and panel.model.rowCount() == 2)
    return panel


def queries(panel: DemonstrationsPanel) -> list[str]:
    return [panel.model.index(row, 0).data() for row in range(panel.model.rowCount())]


def test_demonstrations_when_there_are_none_then_says_how_to_make_one(panel, qtbot):
    assert panel.pages.currentIndex() == 0
    assert "Save a solved run" in panel.empty.sentence
    told: list[str] = []
    panel.context.message_shown.connect(told.append)
    panel.save_all_button.click()
    qtbot.waitUntil(lambda: bool(told))
    assert told[0].startswith("Saved 0 runs as demonstrations")
    assert not panel.export_button.isEnabled()


def test_demonstration_when_searched_then_those_with_all_words_are_left(filled, qtbot):
    filled.search.setText("money price")
    qtbot.waitUntil(lambda: queries(filled) == ["Price of a share"])
    filled.search.clear()
    qtbot.waitUntil(lambda: len(queries(filled)) == 2)


def test_demonstration_when_edited_and_saved_then_it_is_in_the_file(filled, qtbot):
    assert not filled.save_button.isEnabled()
    filled.query.setText("Weather in Bergen")
    filled.tags.setText("weather, rain")
    filled.answer.setPlainText("Rain.")
    filled.save_button.click()
    qtbot.waitUntil(lambda: queries(filled)[0] == "Weather in Bergen")
    first = list_demonstrations(filled.context.file)[0]
    assert (first.query, first.tags, first.answer) == (
        "Weather in Bergen", ("weather", "rain"), "Rain.",
    )  # fmt: skip
    filled.query.clear()
    assert not filled.save_button.isEnabled(), "without a query it is none"


def test_demonstration_when_deleted_then_it_can_be_brought_back(filled, qtbot):
    filled.delete_button.click()
    qtbot.waitUntil(lambda: queries(filled) == ["Price of a share"])
    filled.undo_button.click()
    qtbot.waitUntil(lambda: "Weather in Oslo" in queries(filled))
    assert not filled.undo_button.isEnabled()


def test_demonstrations_when_written_as_training_set_then_says_what_is_in_it(
    filled, tmp_path: Path, qtbot
):
    told: list[str] = []
    filled.context.message_shown.connect(told.append)
    place = tmp_path / "set.jsonl"
    write_training_set(filled.context, filled.context.file, place)
    qtbot.waitUntil(lambda: bool(told), timeout=20_000)
    assert "8 examples of 2 tasks" in told[0]
    assert "Against the format: There are 8 examples" in told[0]
    rows = [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]
    assert all(row["messages"][-1]["role"] == "assistant" for row in rows)
