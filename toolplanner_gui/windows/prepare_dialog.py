"""Prepare: how the APIs are turned into vectors, toolkits and a map.

Where people have curated the toolkits it offers just one thing: to place what is new, so that
nothing else moves. Clustering everything anew is another command; it proposes.
"""

from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.embedding.embedder import embedders
from toolplanner_core.errors import UserError
from toolplanner_core.jobs.isolation import problem_of
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.layout.layout import layouts
from toolplanner_core.words.formatting import counted, duration
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_count
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.forms.plugin_choice import PluginChoice
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.widgets.box_layouts import column_of
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
_KEPT = (
    "People have curated these toolkits: no other API moves and no toolkit ends. What is written by"
    " rule about a toolkit follows its new APIs. What is doubtful is listed afterwards."
)
_PROPOSED = (
    "People have curated these toolkits. Nothing is replaced: you get a proposal that says what it"
    " would move and end, to accept or reject part by part. What is pinned, or was put together by"
    " hand, stays."
)
_PARTS = (
    ("embedder", "Embedder", embedders),
    ("clustering", "Grouping", clusterings),
    ("layout", "Map", layouts),
)
"""What `prepare` lets choose: its argument, what it is called here, where its plug-ins are."""


class PrepareDialog(Dialog):
    """A choice for each stage, with its options; for curated toolkits only what is new.

    Args:
        is_anew: cluster everything, whoever has curated it.
    """

    def __init__(self, context: AppContext, parent: QWidget, *, is_anew: bool = False) -> None:
        title = "Cluster everything anew" if is_anew else "Prepare the toolkits"
        super().__init__(context, parent, title)
        self._is_anew = is_anew
        self.resize(*_SIZE)
        self._what = self.paragraph(_WHAT.format("The APIs"))
        self._kept = text_label(_PROPOSED, is_wrapped=True)
        self._kept.hide()
        self.add(self._kept, self.banner)
        self.choices: dict[str, PluginChoice] = {}
        self.is_only_new = False
        """Whether new APIs are placed and nothing else is done."""
        self._seconds: dict[str, float] = {}
        self._takes = text_label(role="dim", is_wrapped=True)
        page = QWidget()
        page.setProperty("role", "page")
        self._stages = column_of(of=page, margins=(EDGE, GAP, EDGE, GAP), gap=GAP)
        self._area = scrolled(page)
        self.column.addWidget(self._area, 1)
        self.start_button = push_button("Prepare", self._on_start, role="primary")
        self.anew_button = push_button("Cluster everything anew …", self._on_anew)
        self.anew_button.hide()
        self._stages.addWidget(self.anew_button)
        self.add_buttons(self.start_button)
        self.start_button.setEnabled(False)
        if context.workspace is not None:
            context.tasks.spawn(self._fill(context.workspace), owner=self)

    async def _fill(self, workspace: Workspace) -> None:
        def read() -> "tuple[UsualPreparation, int, dict[str, float]]":
            from toolplanner_core.curation.grouping.prepare import usual_preparation
            from toolplanner_core.embedding.embed import seconds_to_embed

            for _, _, registry in _PARTS:
                registry.plugins  # noqa: B018 - loads their libraries, which takes a while
            # The window may still be reading what an import has just brought.
            takes = {plugin.id: seconds_to_embed(workspace, plugin.id) for plugin in embedders}
            return usual_preparation(workspace), api_count(workspace), takes

        usual, n_apis, self._seconds = await self.context.tasks.in_thread(read)
        self._what.setText(_WHAT.format(counted(n_apis, "API")))
        self._kept.setVisible(usual.is_curated)
        if usual.is_curated and usual.new is not None and not self._is_anew:
            self._offer_new(usual.new)
            return
        for name, title, registry in _PARTS:
            choice = self.choices[name] = PluginChoice(registry, title)
            choice.edited.connect(self._on_edited)
            self._stages.addWidget(choice)
            if registry is embedders:
                self._stages.addWidget(self._takes)
            self._stages.addWidget(rule())
        self.choices["embedder"].put(usual.embedder, usual.embedder_options)
        self.choices["clustering"].put(usual.clustering, {})
        self.choices["layout"].put(usual.layout, {})
        self._stages.addStretch(1)
        before: QWidget = self.banner.close_button
        for choice in self.choices.values():
            before = choice.set_tab_order_after(before)
        self._on_edited()
        self.begin()

    def _offer_new(self, new: int) -> None:
        """Only what came since the last time is placed."""
        self.is_only_new = True
        apis = counted(new, "new API is", "new APIs are")
        self._what.setText(f"{apis} placed beside the others." if new else self._nothing_new())
        self._kept.setText(_KEPT)
        self.start_button.setText("Place new APIs")
        self.start_button.setEnabled(new > 0)
        self.anew_button.show()
        # One button does not need the room of three forms.
        self.column.insertWidget(self.column.indexOf(self._area), self.anew_button)
        self._area.hide()
        self.resize(_SIZE[0], self.sizeHint().height())
        self.begin()

    def _nothing_new(self) -> str:
        catalogue = self.context.catalogue
        n = catalogue.n_apis - sum(toolkit.size for toolkit in catalogue.toolkits)
        waiting = counted(n, "API belongs", "APIs belong")
        return (
            f"Nothing is new. {waiting} to no toolkit: the review asks where."
            if n
            else ("Nothing is new.")
        )

    def _on_anew(self) -> None:
        self.accept()
        self.context.shell.open(dialog_commands.prepare, is_anew=True)

    def _on_edited(self) -> None:
        embedder = self.choices.get("embedder")
        seconds = None if embedder is None else self._seconds.get(embedder.plugin_id)
        self._takes.setVisible(seconds is not None)
        if seconds is not None:
            done = "All texts have their vectors." if not seconds else ""
            self._takes.setText(done or f"About {duration(seconds)} for vectors on this machine.")
        is_right = not any(choice.problem for choice in self.choices.values())
        self.start_button.setEnabled(is_right and len(self.choices) == len(_PARTS))

    def _on_start(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        if self.is_only_new:
            start_preparing(self.context, workspace, is_anew=False)
            self.accept()
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


def start_preparing(
    context: AppContext, workspace: Workspace, *, is_anew: bool = True, **wanted: Any
) -> None:
    """Embed, cluster and lay out as a job; the map is read anew when it has ended.

    Toolkits that people have curated are not replaced: they get a proposal, which is shown.

    Args:
        is_anew: False only places what is new beside curated toolkits.
        wanted: arguments of `prepare`.
    """

    def work(progress: Progress) -> "PrepareReport":
        from toolplanner_core.curation.grouping.prepare import prepare

        return prepare(
            workspace,
            is_anew=is_anew,
            on_first_map=lambda: context.calls.post(show_first_map),
            progress=progress,
            **wanted,
        )

    def show_first_map() -> None:
        if context.opened is opened and opened is not None:
            opened.show_first_map()

    def done(report: "PrepareReport") -> None:
        if context.opened is opened and opened is not None:
            opened.first_map.finish()
        context.show_message(_in_words(report))
        if problem := problem_of(report.failures):
            context.report(problem)
        if report.proposal is not None and report.proposal.items:
            context.shell.open(dialog_commands.proposals)
        if report.new is not None:
            context.shell.open(dialog_commands.what_is_new, new=report.new)

    opened = context.opened
    title = "Preparing the toolkits" if is_anew else "Placing new APIs"
    job = context.jobs.start(title, work)
    job.succeeded.connect(done)
    job.failed.connect(lambda error: context.job_failed(job, error))
    # A cancelled job keeps the stages it finished: show them too.
    job.ended.connect(context.reload_catalogue)


def _in_words(report: "PrepareReport") -> str:
    if report.proposal is not None:
        from toolplanner_core.curation.grouping.recluster import what_would_end

        return f"Nothing has changed yet. {what_would_end(report.proposal)}"
    if report.new is not None:
        return report.new.lines[0]
    toolkits = 0 if report.cluster is None else report.cluster.toolkits
    return f"Made {counted(toolkits, 'toolkit')} in {duration(report.seconds)}"


PLUGIN = DialogPlugin.of(dialog_commands.prepare, PrepareDialog)
