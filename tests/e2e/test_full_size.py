"""The whole road on the largest catalogue there is: import, prepare, look, merge, undo, export.

ToolBench's 45,284 APIs as a person takes them in, with no option chosen. Two minutes on two cores.
"""

import json
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fixtures.command_line import toolplanner
from PySide6.QtCore import Qt

from toolplanner_core.curation.naming.toolkit_names import UNNAMED
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import list_toolkits
from toolplanner_gui.actions.toolkits_menu import export_to
from toolplanner_gui.windows.main_window import MainWindow

pytestmark = pytest.mark.slow
WORDS = ("currency", "exchange")


def documented(archive: Path) -> Counter[tuple[str, str]]:
    """Title of the tool and name of each API, as the files say them."""
    found: Counter[tuple[str, str]] = Counter()
    with zipfile.ZipFile(archive) as opened:
        for name in opened.namelist():
            if name.endswith(".json"):
                tool = json.loads(opened.read(name))
                found.update((tool["title"], api["name"]) for api in tool["api_list"])
    return found


def grouping(path: Path) -> dict[ToolkitId, tuple[str, str, frozenset[int]]]:
    """Name, description and members of each toolkit, read from the file."""
    with Workspace.open(path) as opened:
        members: dict[ToolkitId, set[int]] = {}
        for toolkit, rowid in opened.reader().execute(
            "SELECT toolkit_id, api_rowid FROM toolkit_members"
        ):
            members.setdefault(toolkit, set()).add(rowid)
        return {
            kit.id: (kit.name, kit.description, frozenset(members[kit.id]))
            for kit in list_toolkits(opened)
        }


class Curator:
    """Somebody before the window, and how long they wait: until what they began has ended."""

    def __init__(self, window: MainWindow, qtbot: Any) -> None:
        self.window, self.context, self.qtbot = window, window._context, qtbot

    def until(self, is_so: Callable[[], object]) -> None:
        self.qtbot.waitUntil(is_so)

    def settle(self) -> None:
        context = self.context
        self.until(lambda: context.tasks.is_idle and not context.jobs.running)
        self.until(lambda: context.opened is None or context.opened.curation.is_idle)

    def press(self, keys: str) -> None:
        """What a shortcut does, through the menu entry that has it."""
        self.window._menus.refresh()
        actions = self.window.actions()
        entry = next(a for a in actions if keys in [k.toString() for k in a.shortcuts()])
        assert entry.isEnabled(), f"{keys}: {entry.toolTip()}"
        entry.trigger()
        self.settle()

    def opens(self, path: Path) -> None:
        self.context.tasks.spawn(self.context.open_workspace(path), owner=self.context)
        self.until(lambda: self.context.catalogue.xy is not None)
        self.settle()

    def closes(self) -> None:
        self.context.tasks.spawn(self.context.close_workspace(), owner=self.context)
        self.settle()

    def finds(self, text: str) -> int:
        """Search on the map; how many APIs are ringed."""
        bar = self.window.workspace_view.docks.panel("map").bar
        bar.field.setFocus()
        self.qtbot.keyClicks(bar.field, text)
        self.until(lambda: bar.count.text().endswith(" found"))
        self.until(lambda: bar.field.text() == text and self.context.map_look.found is not None)
        self.settle()
        ringed = self.context.map_look.found
        assert ringed is not None
        count = int(np.count_nonzero(ringed))
        assert bar.count.text() == f"{count:,} found"
        return count

    def merges(self, one: ToolkitId, other: ToolkitId) -> None:
        """By the tray: what is selected goes there, Return merges."""
        mask = self.context.catalogue.mask_of_toolkits([one, other])
        self.context.selection.set_mask(mask, {"by": "legend"})
        self.press("Ctrl+G")
        tray = self.window.workspace_view.docks.panel("staging")
        self.until(lambda: f"{np.count_nonzero(mask):,} APIs afterwards" in tray.preview.text())
        self.qtbot.keyClick(tray.tree, Qt.Key.Key_Return)
        self.settle()

    def exports(self, place: Path) -> Any:
        with self.qtbot.waitSignal(self.context.jobs.ended):
            export_to(self.context, "json", place)
        self.settle()
        return json.loads(place.read_text("utf-8"))


def test_road_when_the_catalogue_has_45_284_apis_then_each_step_is_true(
    window: MainWindow, qtbot: Any, shared_data: Path, tmp_path: Path
) -> None:
    archive, path = shared_data / "toolbench" / "toolenv.zip", tmp_path / "all.toolplanner"
    expected = documented(archive)
    n_apis = expected.total()
    assert n_apis == 45_284
    assert toolplanner("new", path).status == 0
    imported = toolplanner("import", path, archive, "--json")
    assert imported.status == 0, imported.err
    assert (imported.data["added"], imported.data["rejected"]) == (n_apis, [])
    prepared = toolplanner("prepare", path, "--json")
    assert prepared.status == 0, prepared.err
    made = prepared.data
    assert made["failures"] == []
    assert made["layout"]["points"] == n_apis
    assert "Traceback" not in prepared.err

    before = grouping(path)
    assert len(before) == made["cluster"]["toolkits"] > 1_000
    assert sum(len(members) for _, _, members in before.values()) == n_apis
    names = [name for name, _, _ in before.values()]
    assert len({name.casefold() for name in names}) == len(names)
    assert all(name.strip() and not name.startswith(f"{UNNAMED}:") for name in names)
    assert all(text.strip() for _, text, _ in before.values())

    curator = Curator(window, qtbot)
    curator.opens(path)
    catalogue = curator.context.catalogue
    assert catalogue.n_apis == len(catalogue.rowids) == n_apis
    assert len(catalogue.toolkits) == len(before)
    assert catalogue.xy is not None and np.isfinite(catalogue.xy).all()
    assert len(catalogue.regions) > 1

    said = sum(
        n
        for (tool, name), n in expected.items()
        if all(word in f"{tool} {name}".lower().split() for word in WORDS)
    )
    assert curator.finds(" ".join(WORDS)) >= said > 0

    largest, second = sorted(before, key=lambda kit: (-len(before[kit][2]), kit))[:2]
    joined = before[largest][2] | before[second][2]
    curator.merges(largest, second)
    assert len(curator.context.catalogue.toolkits) == len(before) - 1
    merged = curator.exports(tmp_path / "merged.json")
    assert max(len(kit["apis"]) for kit in merged["toolkits"]) == len(joined)

    curator.press("Ctrl+Z")
    assert len(curator.context.catalogue.toolkits) == len(before)
    exported = curator.exports(tmp_path / "all.json")
    assert exported["apis"] == n_apis
    assert {kit["name"]: len(kit["apis"]) for kit in exported["toolkits"]} == {
        name: len(members) for name, _, members in before.values()
    }
    curator.closes()
    assert curator.context.workspace is None
    assert grouping(path) == before
