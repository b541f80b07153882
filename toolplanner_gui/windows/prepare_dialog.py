"""Prepare: how the APIs are turned into vectors, toolkits and a map."""

from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.embedding.embedder import embedders
from toolplanner_core.errors import UserError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.layout.layout import layouts
from toolplanner_core.words.wording import counted, duration
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_count
from toolplanner_gui.context import AppContext
from toolplanner_gui.forms.plugin_choice import PluginChoice
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.widgets.boxes import column_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import rule, text_label
from toolplanner_gui.widgets.views import scrolled
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

if TYPE_CHECKING:
    from toolplanner_core.curation.grouping.prepare import PrepareReport, UsualPreparation

_SIZE = (520, 620)
_WHAT = (
    "{} become toolkits: each text is turned into a vector, similar vectors form a toolkit, and the"
    " toolkits are laid out as a map."
)
_PARTS = (
    ("embedder", "Embedder", embedders),
    ("clustering", "Grouping", clusterings),
    ("layout", "Map", layouts),
)
"""What `prepare` lets choose: its argument, what it is called here, where its plug-ins are."""


class PrepareDialog(Dialog):
    """A choice for each stage, with its options."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Prepare the toolkits")
        self.resize(*_SIZE)
        self._what = self.paragraph(_WHAT.format("The APIs"))
        self._kept = text_label(
            "These toolkits were edited by people. Nothing of that is replaced: you get proposals"
            " to accept or reject, and pinned APIs stay.",
            is_wrapped=True,
        )
        self._kept.hide()
        self.add(self._kept, self.banner)
        self.choices: dict[str, PluginChoice] = {}
        page = QWidget()
        page.setProperty("role", "page")
        self._stages = column_of(of=page, margins=(EDGE, GAP, EDGE, GAP), gap=GAP)
        self.column.addWidget(scrolled(page), 1)
        self.start_button = push_button("Prepare", self._on_start, role="primary")
        self.add_buttons(self.start_button)
        self.start_button.setEnabled(False)
        if context.workspace is not None:
            context.tasks.spawn(self._fill(context.workspace), owner=self)

    async def _fill(self, workspace: Workspace) -> None:
        def read() -> "tuple[UsualPreparation, int]":
            from toolplanner_core.curation.grouping.prepare import usual_preparation

            for _, _, registry in _PARTS:
                registry.plugins  # noqa: B018 - loads their libraries, which takes a while
            # The window may still be reading what an import has just brought.
            return usual_preparation(workspace), api_count(workspace)

        usual, n_apis = await self.context.tasks.in_thread(read)
        self._what.setText(_WHAT.format(counted(n_apis, "API")))
        self._kept.setVisible(usual.is_curated)
        for name, title, registry in _PARTS:
            choice = self.choices[name] = PluginChoice(registry, title)
            choice.edited.connect(self._on_edited)
            self._stages.addWidget(choice)
            self._stages.addWidget(rule())
        self.choices["embedder"].put(usual.embedder, usual.embedder_options)
        self.choices["clustering"].put(usual.clustering, {})
        self.choices["layout"].put(usual.layout, {})
        self._stages.addStretch(1)
        before: QWidget = self.banner.close_button
        for choice in self.choices.values():
            before = choice.put_after(before)
        self._on_edited()

    def _on_edited(self) -> None:
        is_right = not any(choice.problem for choice in self.choices.values())
        self.start_button.setEnabled(is_right and len(self.choices) == len(_PARTS))

    def _on_start(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        wanted: dict[str, Any] = {}
        try:
            for name, choice in self.choices.items():
                wanted |= {name: choice.spec, f"{name}_options": choice.form.instance}
        except UserError as error:
            self.show_error(error, doing="Preparing the toolkits")
            return
        start_preparing(self.context, workspace, **wanted)
        self.accept()


def start_preparing(context: AppContext, workspace: Workspace, **wanted: Any) -> None:
    """Embed, cluster and lay out as a job; the map is read anew when it has ended.

    Toolkits that people have curated are not replaced: they get a proposal, which is shown.

    Args:
        wanted: arguments of `prepare`.
    """

    def work(progress: Progress) -> "PrepareReport":
        from toolplanner_core.curation.grouping.prepare import prepare

        return prepare(workspace, is_anew=True, progress=progress, **wanted)

    def done(report: "PrepareReport") -> None:
        context.tell(_in_words(report))
        if report.proposal is not None and report.proposal.items:
            context.shell.open("proposals")

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


PLUGIN = DialogPlugin(id="prepare", make=PrepareDialog)
