"""A plug-in of another distribution is chosen in the window, shows its options, and works there.

Each test puts the sample of a kind behind an entry point, with no other file touched.
"""

import importlib
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fixtures.foreign_plugins import install_sample
from fixtures.small_catalogue import import_small_catalogue
from PySide6.QtCore import Qt

from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.curation.grouping.prepare import prepare
from toolplanner_core.embedding.embedder import embedders
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.layout.layout import layouts
from toolplanner_core.llm.model import models
from toolplanner_core.providers.provider import providers
from toolplanner_core.registry import Registry, installed_entry_points
from toolplanner_core.sources.source import sources
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_core.workspace.settings import get_setting
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.forms.plugin_choice import PluginChoice
from toolplanner_gui.windows.import_dialog import ImportDialog
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.prepare_dialog import PrepareDialog

REGISTRIES: tuple[Registry[Any], ...] = (
    sources, embedders, clusterings, layouts, providers, models, strategies,
)  # fmt: skip


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Installs the sample of a kind for this test only."""
    site = tmp_path / "site"
    monkeypatch.syspath_prepend(site)

    def forget() -> None:
        importlib.invalidate_caches()
        installed_entry_points.cache_clear()
        for registry in REGISTRIES:
            registry._found = None
            registry._origins.clear()
            registry._broken.clear()

    def install(kind: str) -> None:
        install_sample(site, kind)
        forget()

    yield install
    monkeypatch.undo()
    forget()
    for registry in REGISTRIES:
        sys.modules.pop(f"acme_{registry.kind}", None)


@pytest.fixture(scope="module")
def prepared_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small catalogue with toolkits and a map; copied before it is changed."""
    folder = tmp_path_factory.mktemp("prepared")
    with Workspace.create(folder / "w.toolplanner") as workspace:
        import_small_catalogue(workspace, folder)
        prepare(workspace, embedder="lsa", layout="pca", progress=Progress())
    return folder / "w.toolplanner"


@pytest.fixture
def opened(window: MainWindow, prepared_file: Path, tmp_path: Path, qtbot) -> MainWindow:
    """A window with the prepared catalogue."""
    open_later(window._context, Path(shutil.copy(prepared_file, tmp_path / "w.toolplanner")))
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0 and window.is_idle)
    return window


def choose(choice: PluginChoice, values: dict[str, Any]) -> None:
    """Choose the sample as a person does: in the list, then in its fields."""
    titles = [choice.combo.itemText(i) for i in range(choice.combo.count())]
    choice.combo.setCurrentIndex(titles.index("Acme"))
    assert choice.form.isVisibleTo(choice)
    for name, value in values.items():
        choice.form.editors[name].put(value)
    assert (choice.plugin_id, choice.values) == ("acme", values)


def test_source_when_pasted_text_is_its_own_then_imports_with_its_options(
    opened: MainWindow, installed: Callable[[str], None], qtbot
) -> None:
    installed("sources")
    context = opened._context
    dialog = ImportDialog(context, opened)
    dialog.open()
    dialog.source.pasting.click()
    dialog.source.text.setPlainText("acme\nwave: Wave a hand.\nbow: Bow deeply.\n")
    qtbot.waitUntil(dialog.start_button.isEnabled)
    assert "2 APIs, 1 tool" in dialog.summary.text()
    assert "in the format acme" in dialog.summary.text()
    assert dialog.format is not None
    choose(dialog.format, {"tool": "Mime"})
    dialog.source.rest()
    qtbot.waitUntil(lambda: dialog.is_idle and dialog.start_button.isEnabled())
    with qtbot.waitSignal(context.jobs.ended):
        dialog.start_button.click()
    workspace = context.workspace
    assert workspace is not None
    assert {"Mime/wave", "Mime/bow"} <= {name.key for name in api_names(workspace)}


class Sample(NamedTuple):
    """The sample of a kind: where it is chosen, and options of it."""

    kind: str
    part: str
    values: dict[str, Any]


STAGES = (
    Sample("embedders", "embedder", {"letters": 4}),
    Sample("clusterings", "clustering", {"groups": 3}),
    Sample("layouts", "layout", {"slope": 0.25}),
)
PARTS = (
    Sample("strategies", "strategy", {"greeting": "goodbye", "times": 2}),
    Sample("providers", "provider", {"reply": "parrots"}),
    Sample("models", "acting", {"voice": "high"}),
)


@pytest.mark.parametrize("sample", STAGES, ids=lambda sample: sample.kind)
def test_stage_when_chosen_then_prepares_with_its_options(
    opened: MainWindow, installed: Callable[[str], None], qtbot, sample: Sample
) -> None:
    installed(sample.kind)
    context = opened._context
    workspace = context.workspace
    assert workspace is not None
    dialog = PrepareDialog(context, opened)
    dialog.open()
    qtbot.waitUntil(dialog.start_button.isEnabled)
    dialog.choices["layout"].put("pca", {})
    choose(dialog.choices[sample.part], sample.values)
    with qtbot.waitSignal(context.jobs.ended):
        dialog.start_button.click()
    made = get_setting(workspace, f"active_{sample.part}")
    if sample.part == "embedder":
        assert made == "acme@4"
    else:
        row = workspace.one_row(f"SELECT method, options FROM {sample.kind} WHERE id = ?", [made])
        assert row is not None
        assert row[0] == "acme"
        assert json.loads(row[1]).items() >= sample.values.items()
    qtbot.waitUntil(lambda: context.tasks.is_idle)


@pytest.mark.parametrize("sample", PARTS, ids=lambda sample: sample.kind)
def test_part_of_a_run_when_chosen_then_runs_with_its_options(
    installed: Callable[[str], None], request: pytest.FixtureRequest, qtbot, sample: Sample
) -> None:
    installed(sample.kind)
    opened: MainWindow = request.getfixturevalue("opened")
    bar, view = opened.workspace_view.query_bar, opened._context.run_view
    qtbot.waitUntil(lambda: bar.options.form is not None)
    choose(getattr(bar.options.form, sample.part), sample.values)
    assert "Acme" in bar.options.text()
    bar.query.setText("What is the weather forecast for Lyon?")
    bar.run.click()
    qtbot.waitUntil(lambda: not view.is_live and any(s.answer for s in view.summaries))
    summary = view.summaries[0]
    told = {
        "strategy": (summary.strategy, "goodbye goodbye" in summary.answer),
        "provider": (summary.provider, "parrots" in summary.answer),
        "acting": (summary.model, True),
    }[sample.part]
    assert told == ("acme?voice=high" if sample.part == "acting" else "acme", True)
    qtbot.waitUntil(lambda: opened._context.tasks.is_idle)


def test_plugin_when_broken_then_listed_with_the_reason_and_not_to_be_chosen(
    installed: Callable[[str], None], tmp_path: Path, qtbot
) -> None:
    installed("providers")
    (tmp_path / "site" / "acme_providers.py").write_text("raise RuntimeError('no licence')")
    choice = PluginChoice(providers, "Provider")
    qtbot.addWidget(choice)
    model = choice.combo.model()
    last = model.index(choice.combo.count() - 1, 0)
    assert last.data() == "acme (left out)"
    assert "RuntimeError: no licence" in last.data(Qt.ItemDataRole.ToolTipRole)
    assert not model.flags(last) & Qt.ItemFlag.ItemIsEnabled
    assert "acme" not in choice.spec
