"""Prepare: how the APIs are turned into vectors, toolkits and a map."""

from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QFormLayout, QSpinBox, QWidget

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.words.wording import counted, duration
from toolplanner_core.workspace import Workspace
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.windows.dialog import Dialog

if TYPE_CHECKING:
    from toolplanner_core.curation.grouping.prepare import PrepareReport

_WIDTH = 480
_APIS_PER_TOOLKIT = 9


class _Entry(NamedTuple):
    """A plug-in to choose; `options` are the names of its options."""

    title: str
    id: str
    explanation: str
    options: tuple[str, ...] = ()


class PrepareDialog(Dialog):
    """Embedder, clustering and number of toolkits; the rest has good defaults."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Prepare the toolkits")
        self.setMinimumWidth(_WIDTH)
        n_apis = context.catalogue.n_apis
        self.column.addWidget(
            text_label(
                f"{counted(n_apis, 'API')} become toolkits: each text is turned into a vector,"
                " similar vectors form a toolkit, and the toolkits are laid out as a map.",
                is_wrapped=True,
            )
        )
        self._kept = text_label(
            "These toolkits were edited by people. Nothing of that is replaced: you get proposals"
            " to accept or reject, and pinned APIs stay.",
            is_wrapped=True,
        )
        self._kept.hide()
        self.column.addWidget(self._kept)
        self.column.addWidget(self.banner)
        self._options: dict[str, tuple[str, ...]] = {}
        self.embedder = QComboBox()
        self.method = QComboBox()
        self.number = QSpinBox()
        self.number.setRange(0, max(1, n_apis))
        self.number.setSpecialValueText(f"{max(1, round(n_apis / _APIS_PER_TOOLKIT)):,} (1 per 9)")
        self.number.setGroupSeparatorShown(True)
        self.distance = QDoubleSpinBox()
        self.distance.setRange(0.0, 1.0)
        self.distance.setDecimals(3)
        self.distance.setSingleStep(0.01)
        self.distance.setValue(0.02)
        self._explanation = text_label(role="dim", is_wrapped=True)
        self._form = QFormLayout()
        self._form.setSpacing(GAP)
        self._form.addRow("Embedder", self.embedder)
        self._form.addRow("Grouping", self.method)
        self._form.addRow("Toolkits", self.number)
        self._form.addRow("Distance", self.distance)
        self.column.addLayout(self._form)
        self.column.addWidget(self._explanation)
        self.column.addStretch(1)
        self.start_button = push_button("Prepare", self._on_start, role="primary")
        self.add_buttons(self.start_button)
        self.embedder.currentIndexChanged.connect(self._explain)
        self.method.currentIndexChanged.connect(self._explain)
        self.start_button.setEnabled(False)
        context.tasks.spawn(self._fill(), owner=self)

    async def _fill(self) -> None:
        def read() -> tuple[list[_Entry], list[_Entry], str, bool]:
            from toolplanner_core.clustering.clustering import clusterings
            from toolplanner_core.curation.grouping.prepare import default_embedder
            from toolplanner_core.embedding.embedder import embedders
            from toolplanner_core.workspace.toolkit_writing import is_curated

            workspace = self.context.workspace
            return (
                [_Entry(e.title, e.id, e.description) for e in embedders if e.id != "st"],
                [
                    _Entry(c.title, c.id, c.description, tuple(f.name for f in fields(c.options)))
                    for c in clusterings
                ],
                default_embedder(),
                workspace is not None and is_curated(workspace),
            )

        known_embedders, known_methods, default, curated = await self.context.tasks.in_thread(read)
        self._kept.setVisible(curated)
        for combo, entries in ((self.embedder, known_embedders), (self.method, known_methods)):
            for entry in entries:
                combo.addItem(entry.title, (entry.id, entry.explanation))
        self._options = {entry.id: entry.options for entry in known_methods}
        for combo, key in ((self.embedder, default), (self.method, "kmeans")):
            for position in range(combo.count()):
                if combo.itemData(position)[0] == key:
                    combo.setCurrentIndex(position)
        self._explain()
        self.start_button.setEnabled(True)

    def _explain(self) -> None:
        chosen = [c.currentData() for c in (self.embedder, self.method) if c.currentData()]
        self._explanation.setText("\n".join(explanation for _, explanation in chosen))
        method = self.method.currentData()
        options = self._options.get(method[0], ()) if method else ()
        self._form.setRowVisible(self.number, "k" in options)
        self._form.setRowVisible(self.distance, "eps" in options)

    def _on_start(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        start_preparing(
            self.context,
            workspace,
            embedder=self.embedder.currentData()[0],
            method=self.method.currentData()[0],
            k=self.number.value() or None,
            eps=self.distance.value(),
        )
        self.accept()


def start_preparing(
    context: AppContext,
    workspace: Workspace,
    *,
    embedder: str,
    method: str,
    k: int | None,
    eps: float,
) -> None:
    """Embed, cluster and lay out as a job; the map is read anew when it has ended.

    Toolkits that people have curated are not replaced: they get a proposal, which is shown.
    """

    def work(progress: Progress) -> "PrepareReport":
        from toolplanner_core.clustering.clustering import clusterings
        from toolplanner_core.curation.grouping.prepare import prepare

        values = {"k": k, "eps": eps}
        plugin = clusterings.get(method)
        known = {field.name for field in fields(plugin.options)}
        options = plugin.options(**{n: v for n, v in values.items() if n in known})
        return prepare(
            workspace,
            embedder=embedder,
            clustering=method,
            clustering_options=options,
            is_anew=True,
            progress=progress,
        )

    def done(report: "PrepareReport") -> None:
        context.tell(_in_words(report))
        if report.proposal is not None and report.proposal.items and context.shell is not None:
            context.shell.show_dialog("proposals")

    job = context.jobs.start("Preparing the toolkits", work)
    job.succeeded.connect(done)
    job.failed.connect(lambda error: context.job_failed(job, error))
    # A cancelled job keeps the stages it finished: show them too.
    job.ended.connect(context.reload_catalogue)


def _in_words(report: "PrepareReport") -> str:
    if report.proposal is not None:
        parts = counted(report.proposal.items, "part")
        return f"Proposed {parts} that would move {counted(report.proposal.moving, 'API')}"
    toolkits = 0 if report.cluster is None else report.cluster.toolkits
    return f"Made {counted(toolkits, 'toolkit')} in {duration(report.seconds)}"
