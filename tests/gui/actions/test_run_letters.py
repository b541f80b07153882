"""The letters of the menus of runs: one letter stands for one entry."""

import re
from collections import Counter

from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui.actions.action import Entry, Separator
from toolplanner_gui.actions.run_context_menu import run_entries, runs_entries
from toolplanner_gui.actions.run_menu import PLUGIN
from toolplanner_gui.context import AppContext


def letters(entries: tuple[Entry, ...]) -> Counter[str]:
    titles = [each.title for each in entries if not isinstance(each, Separator)]
    found = [re.search(r"&(\w)", title) for title in titles]
    assert all(found), titles
    return Counter(each[1].casefold() for each in found if each is not None)


def test_letters_when_menus_of_runs_open_then_each_stands_for_one_entry(
    opened: AppContext, qtbot
) -> None:
    opened.run_view.start(RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo"))
    qtbot.waitUntil(lambda: not opened.run_view.is_live and bool(opened.run_view.summaries))
    run = opened.run_view.summaries[0].run
    for menu in (
        PLUGIN.entries,
        tuple(run_entries(opened, run)),
        tuple(runs_entries(opened, (run, run))),
    ):
        twice = [letter for letter, n in letters(menu).items() if n > 1]
        assert not twice, twice
