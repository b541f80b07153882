"""Prepare: how the APIs are turned into vectors, toolkits and a map."""

from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QFormLayout, QSpinBox, QWidget

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.viewmodels.texts import counted, duration
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.windows.dialog import Dialog

_WIDTH = 480
_APIS_PER_TOOLKIT = 9


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
        self.column.addWidget(self.banner)
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
        def read() -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]], str]:
            from toolplanner_core.clustering.clustering import clusterings
            from toolplanner_core.curation.prepare import default_embedder
            from toolplanner_core.embedding.embedder import embedders

            return (
                [(e.title, e.id, e.description) for e in embedders if e.id != "st"],
                [(c.title, c.id, c.description) for c in clusterings],
                default_embedder(),
            )

        known_embedders, known_methods, default = await self.context.tasks.in_thread(read)
        for combo, entries in ((self.embedder, known_embedders), (self.method, known_methods)):
            for title, key, explanation in entries:
                combo.addItem(title, (key, explanation))
        for combo, key in ((self.embedder, default), (self.method, "kmeans")):
            for position in range(combo.count()):
                if combo.itemData(position)[0] == key:
                    combo.setCurrentIndex(position)
        self._explain()
        self.start_button.setEnabled(True)

    def _explain(self) -> None:
        chosen = [c.currentData() for c in (self.embedder, self.method) if c.currentData()]
        self._explanation.setText("\n".join(explanation for _, explanation in chosen))
        is_kmeans = bool(self.method.currentData()) and self.method.currentData()[0] == "kmeans"
        self._form.setRowVisible(self.number, is_kmeans)
        self._form.setRowVisible(self.distance, not is_kmeans)

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
    """Embed, cluster and lay out as a job; the map is read anew when it has ended."""

    def work(progress: Progress) -> str:
        from toolplanner_core.clustering.clustering import clusterings
        from toolplanner_core.curation.cluster import cluster
        from toolplanner_core.curation.lay_out import lay_out
        from toolplanner_core.embedding.embed import embed

        embedded = embed(workspace, embedder, progress=progress)
        values = {"k": k} if method == "kmeans" else {"eps": eps}
        clustered = cluster(
            workspace,
            method=method,
            options=clusterings.get(method).options(**values),
            progress=progress,
        )
        laid_out = lay_out(workspace, progress=progress)
        seconds = embedded.seconds + clustered.seconds + laid_out.seconds
        return f"Made {counted(clustered.toolkits, 'toolkit')} in {duration(seconds)}"

    job = context.jobs.start("Preparing the toolkits", work)
    job.succeeded.connect(context.tell)
    job.failed.connect(lambda error: context.job_failed(job, error))
    # A cancelled job keeps the stages it finished: show them too.
    job.ended.connect(context.reload_catalogue)
