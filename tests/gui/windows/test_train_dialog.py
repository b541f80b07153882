"""Training a retriever in the window: what it needs, progress, a stop, going on, figures, use."""

import importlib.util
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from fixtures.labelled_queries import QUICK, labelled_file

from toolplanner_core.embedding import minilm
from toolplanner_core.embedding.trained import trained_folder, trained_model
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.reranking import FEATURES, default_weights, save_weights
from toolplanner_core.training import train as requests
from toolplanner_core.training.job import CurvePoint
from toolplanner_core.training.reranker_training import LearnedRanking
from toolplanner_core.training.search_metrics import MeasuredSearch, measured_row, ranking_figures
from toolplanner_core.training.train import TrainReport
from toolplanner_core.workspace.settings import get_setting
from toolplanner_gui.context import AppContext
from toolplanner_gui.windows import trained_retrievers
from toolplanner_gui.windows.status_bar import StatusBar
from toolplanner_gui.windows.train_dialog import TrainDialog

USUAL = dict(zip(FEATURES, default_weights().tolist(), strict=True))


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this person's models are; the extra seems to be installed."""
    monkeypatch.setenv("TOOLPLANNER_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(minilm, "absent_packages", list)
    monkeypatch.setattr("toolplanner_core.training.train.absent_packages", list)
    return tmp_path / "models"


def dialog_of(context: AppContext, qtbot, **what: Any) -> TrainDialog:
    dialog = TrainDialog(context, context.shell.window_widget, **what)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.known._newest.is_idle)
    return dialog


def keep_model(name: str, *, is_measured: bool = True) -> str:
    """A trained model with figures, whose weights nobody opens. Returns its id."""
    folder = trained_folder(name)
    folder.mkdir(parents=True)
    identity = f"trained:{name}@1a2b3c4d"
    rows: dict[str, Any] = {}
    for embedder, ranks in (("minilm@1", [[9], [1]]), (identity, [[2], [1]])):
        figures = ranking_figures(ranks)
        measured = MeasuredSearch(
            embedder=embedder, dense=figures, hybrid=figures, queries=2, apis=12
        )
        rows[f"{embedder} over 12 APIs"] = measured_row(measured)
    record = {
        "hashes": {"document.onnx": "1a2b3c4d5e"},
        "pairs": 70,
        "test": [{"query": "q", "gold": ["k"]}],
        "figures": rows if is_measured else {},
    }
    (folder / "record.json").write_text(json.dumps(record), encoding="utf-8")
    return identity


def test_dialog_when_the_extra_is_missing_then_says_so_and_how_to_get_it(
    opened: AppContext, qtbot, monkeypatch: pytest.MonkeyPatch, models: Path
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("TOOLPLANNER_MODELS", str(models))
    found = importlib.util.find_spec
    gone = "sentence_transformers"
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *of: None if name == gone else found(name, *of)
    )
    dialog = dialog_of(opened, qtbot)
    dialog.name.setText("mine")
    assert dialog.banner.isVisible()
    said = dialog.banner.text
    assert "extra sbert" in said and gone in said and "toolplanner[sbert]" in said
    assert not dialog.start_button.isEnabled()
    assert "cannot train" in dialog.state.text()
    dialog.reject()


def test_dialog_when_something_is_missing_then_the_state_names_it(
    opened: AppContext, qtbot, tmp_path: Path
) -> None:
    keep_model("old")
    dialog = dialog_of(opened, qtbot)
    assert "Give it a name" in dialog.state.text()
    dialog.name.setText("../mine")
    assert "cannot name a model" in dialog.state.text()
    dialog.name.setText("old")
    assert "one of this name already" in dialog.state.text()
    dialog.name.setText("mine")
    assert dialog.start_button.isEnabled()
    dialog.has_runs.setChecked(False)
    assert not dialog.start_button.isEnabled() and "Add a file" in dialog.state.text()
    dialog.take([tmp_path / "a.jsonl"])
    assert dialog.start_button.isEnabled()
    dialog.files.selectAll()
    dialog.take_button.click()
    assert not dialog.start_button.isEnabled()
    dialog.reject()


def test_training_when_it_goes_on_then_strip_shows_the_curve_and_a_stop_is_kept(
    opened: AppContext, qtbot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    looked, told = threading.Event(), list[str]()
    opened.message_shown.connect(told.append)

    def learn(_workspace, request, *, progress: Progress, on_point) -> TrainReport:
        work = trained_folder(request.name) / "work"
        work.mkdir(parents=True)
        requests._keep(request)
        on_point(CurvePoint(40, 0.5, 0.625, 9.0))
        while not looked.wait(0.01):
            progress.report("Training", 40, 120, "batches")
        progress.check()
        raise AssertionError("not stopped")

    monkeypatch.setattr(trained_retrievers, "train_and_measure", learn)
    bar = StatusBar(opened)
    qtbot.addWidget(bar)
    dialog = dialog_of(opened, qtbot)
    dialog.name.setText("mine")
    dialog.take([tmp_path / "a.jsonl"])
    dialog.options.editors["minutes"].put(7.0)
    assert dialog.request.has_order, "usual, since it only stays where it finds more"
    dialog.has_order.setChecked(False)
    dialog.start_button.click()
    [job] = opened.jobs.running
    qtbot.waitUntil(lambda: "Recall@5 0.625 after 40 batches" in bar._strips[job].text)
    assert "Training 40 of 120" in bar._strips[job].text
    beside = dialog_of(opened, qtbot)
    beside.name.setText("other")
    assert "mine is being trained" in beside.state.text() and not beside.start_button.isEnabled()
    job.cancel()
    looked.set()
    qtbot.waitUntil(lambda: not opened.jobs.running)
    assert "what it has learned is kept" in told[-1]
    (trained_folder("torn") / "work").mkdir(parents=True)
    (trained_folder("torn") / "work" / "request.json").write_text("{", encoding="utf-8")
    [kept] = requests.stopped_trainings()
    assert kept.files == [tmp_path / "a.jsonl"]
    assert kept.options.minutes == 7 and kept.has_runs and not kept.has_order
    qtbot.waitUntil(beside.known.go_on_button.isEnabled)
    again: list[requests.TrainingRequest] = []
    monkeypatch.setattr(
        "toolplanner_gui.windows.trained_retrievers.start_training",
        lambda _context, _workspace, request: again.append(request),
    )
    beside.known.go_on_button.click()
    assert again == [kept]


def test_trained_when_chosen_then_figures_before_and_after_and_used(
    opened: AppContext, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_model("mine")
    keep_model("raw", is_measured=False)
    dialog = dialog_of(opened, qtbot, begin_with="mine")
    page = dialog.known
    assert dialog.tabs.currentIndex() == 1
    assert page.figures.rowCount() == 6
    cells = [page.figures.index(0, column).data() for column in range(3)]
    assert cells == ["Recall@5", "0.500 [0.00, 1.00]", "1.000 [1.00, 1.00]"]
    assert "2 queries that it has not seen, among 12 APIs" in page.state.text()
    used: list[dict[str, Any]] = []
    monkeypatch.setattr(
        "toolplanner_gui.windows.trained_retrievers.start_preparing",
        lambda _context, _workspace, **wanted: used.append(wanted),
    )
    page.names.setCurrentIndex(page.names.model().index(1, 0))
    assert page.state.text() == "Not measured yet." and page.measure_button.isEnabled()
    page.names.setCurrentIndex(page.names.model().index(0, 0))
    page.use_button.click()
    assert used == [{"embedder": "trained:mine"}]


def test_order_when_learned_in_the_dialog_then_it_counts_until_the_usual_one_is_wanted(
    opened: AppContext, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, taken = list[str](), list[tuple[object, bool]]()
    opened.message_shown.connect(told.append)
    figures = {k: ranking_figures([[k]]) for k in (1, 2)}
    learned = LearnedRanking(weights=USUAL, queries=87, before=figures[2], after=figures[1])

    def learn(workspace, files, *, has_runs: bool, progress: Progress) -> LearnedRanking:
        taken.append((files, has_runs))
        save_weights(workspace, learned.weights)
        return learned

    monkeypatch.setattr("toolplanner_gui.windows.search_ranking_row.learn_and_save_order", learn)
    row = dialog_of(opened, qtbot).order
    qtbot.waitUntil(lambda: row.state.text() == "The usual one")
    assert not row.usual_button.isEnabled()
    row.learn_button.click()
    qtbot.waitUntil(lambda: row.state.text() == "Learned for this catalogue")
    assert taken == [((), True)]
    assert "an order of their own: nDCG@10 0.631" in told[-1]
    assert "1.000 with what 87 queries taught" in told[-1]
    row.usual_button.click()
    qtbot.waitUntil(lambda: row.state.text() == "The usual one")


def test_order_when_there_is_nothing_to_learn_from_then_it_cannot_be_learned(
    opened: AppContext, qtbot, tmp_path: Path
) -> None:
    dialog = dialog_of(opened, qtbot)
    dialog.has_runs.setChecked(False)
    assert not dialog.order.learn_button.isEnabled()
    dialog.take([tmp_path / "a.jsonl"])
    assert dialog.order.learn_button.isEnabled()


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(
    os.environ.get("TOOLPLANNER_BENCH") != "1", reason="takes minutes; set TOOLPLANNER_BENCH=1"
)
def test_training_for_real_when_stopped_and_gone_on_then_figures_and_in_use(
    opened: AppContext, qtbot, monkeypatch: pytest.MonkeyPatch, models: Path, tmp_path: Path
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("TOOLPLANNER_MODELS", str(models))
    if minilm.absent_packages():
        pytest.skip("needs the extra sbert")
    workspace = opened.workspace
    assert workspace is not None
    dialog = dialog_of(opened, qtbot)
    dialog.name.setText("mine")
    dialog.take([labelled_file(workspace, tmp_path)])
    dialog.options.put(QUICK)
    dialog.start_button.click()
    [job] = opened.jobs.running
    qtbot.waitUntil(lambda: "after" in job.newest)
    job.cancel()
    qtbot.waitUntil(lambda: not opened.jobs.running)
    page = dialog_of(opened, qtbot).known
    page.go_on_button.click()
    qtbot.waitUntil(lambda: not opened.jobs.running)
    model = trained_model("mine")
    assert model.record["end"]["resumed"] > 0
    page = dialog_of(opened, qtbot, begin_with="mine").known
    assert page.figures.rowCount() == 6
    page.use_button.click()
    qtbot.waitUntil(lambda: not opened.jobs.running)
    assert get_setting(workspace, "active_embedder") == model.id


def test_trained_when_in_use_then_kept_and_another_is_removed(
    opened: AppContext, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def yes(*_args: Any, **_words: Any) -> bool:
        return True

    monkeypatch.setattr("toolplanner_gui.windows.trained_retrievers.confirm", yes)
    used = keep_model("used")
    keep_model("other")
    workspace = opened.workspace
    assert workspace is not None
    workspace.writer.run(
        lambda db: db.execute(
            "UPDATE settings SET value = ? WHERE key = 'active_embedder'", (json.dumps(used),)
        ),
        durable=True,
    )
    assert get_setting(workspace, "active_embedder") == used
    page = dialog_of(opened, qtbot, begin_with="used").known
    assert not page.remove_button.isEnabled() and "uses it" in page.remove_button.toolTip()
    assert not page.use_button.isEnabled()
    page.names.setCurrentIndex(page.names.model().index(0, 0))
    page.remove_button.click()
    qtbot.waitUntil(lambda: page.names.model().rowCount() == 1)
    assert not trained_folder("other").exists()
    assert trained_folder("used").exists()
