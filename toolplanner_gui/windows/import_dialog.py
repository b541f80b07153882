"""Import tools: name a source or paste it, see what would come in, import it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QTabWidget, QWidget

from toolplanner_core.domain.api import Risk
from toolplanner_core.jobs.progress import Progress, ProgressReport
from toolplanner_core.sources.import_filter import ImportFilter
from toolplanner_core.sources.import_preview import ApiGroup, Comparison, ImportPreview
from toolplanner_core.sources.import_report import ImportReport
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import AskedValue, sources
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.workspace import Workspace
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.workspace_files import make_workspace
from toolplanner_gui.context import AppContext
from toolplanner_gui.forms.option_form import form_label, form_rows
from toolplanner_gui.forms.plugin_choice import PluginChoice
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.input_fields import SearchField
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.tab_order import focus_pane
from toolplanner_gui.widgets.views import CappedScrollArea, QuietTree, code_view
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin
from toolplanner_gui.windows.import_report_dialog import describe_preview, describe_report
from toolplanner_gui.windows.prepare_dialog import start_preparing
from toolplanner_gui.windows.server_consent import ServerConsent
from toolplanner_gui.windows.server_variables import ServerVariables
from toolplanner_gui.windows.source_field import SourceField

if TYPE_CHECKING:
    from toolplanner_core.curation.grouping.prepare import UsualPreparation


class _Way(NamedTuple):
    """A way to choose: by what, and the name of a group without a name."""

    title: str
    of: Callable[[ApiGroup], str]
    nameless: str


_WAYS = (
    _Way("By file", lambda group: group.file, "All of it"),
    _Way("By category", lambda group: group.category, "No category"),
    _Way("By risk", lambda group: group.risk.value, ""),
)


class ImportChoice(QWidget):
    """Switches for files, categories and risks, and words that all of them must have.

    Signals:
        changed: a switch; the counts are known.
        searched: other words; it has to be read again.
    """

    changed = Signal()
    searched = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.ways = QComboBox()
        self.ways.setAccessibleName("What is chosen")
        self.ways.addItems([way.title for way in _WAYS])
        self.words = SearchField("Only APIs with these words")
        self.model = TableModel(("Comes in", "APIs"), self, numbers=(1,))
        view = QuietTree("What is wanted", is_flat=True)
        view.keep_both_ends()
        view.set_model(self.model, {1: 80})
        everything = push_button("All", lambda: self._all(is_on=True))
        nothing = push_button("None", lambda: self._all(is_on=False))
        bar = row_of(self.ways, everything, nothing, (self.words, 1), gap=GAP)
        column_of(bar, (view, 1), of=self, gap=GAP, margins=(0, GAP, 0, 0))
        self._groups: Counter[ApiGroup] = Counter()
        self._off: tuple[set[str], ...] = tuple(set[str]() for _ in _WAYS)
        self.ways.currentIndexChanged.connect(self._show)
        self.words.searched.connect(self.searched)
        self.model.switched.connect(self._on_switched)

    @property
    def leave_out(self) -> ImportFilter:
        """What is not wanted."""
        files, categories, risks = self._off
        return ImportFilter(
            files=frozenset(files),
            categories=frozenset(categories),
            risks=frozenset(map(Risk, risks)),
            words=self.words.text().strip(),
        )

    def show_groups(self, preview: ImportPreview) -> None:
        """List what a preview found."""
        self._groups = Counter(preview.groups)
        self._show()

    def forget(self) -> None:
        """Another location: everything is wanted again."""
        for off in self._off:
            off.clear()
        with_words = bool(self.words.text())
        self.words.blockSignals(True)
        self.words.clear()
        self.words.blockSignals(False)
        if with_words:
            self._show()

    def _show(self) -> None:
        way, off = self._way
        counts: Counter[str] = Counter()
        for group, n in self._groups.items():
            counts[way.of(group)] += n
        self.model.update_rows(
            [
                Row(cells=(one_line(name, 200) or way.nameless, f"{n:,}"), key=name,
                    is_on=name not in off, tooltip=name)
                for name, n in counts.most_common()
            ]
        )  # fmt: skip

    @property
    def _way(self) -> tuple[_Way, set[str]]:
        position = max(0, self.ways.currentIndex())
        return _WAYS[position], self._off[position]

    def _on_switched(self, name: str, is_on: bool) -> None:
        off = self._way[1]
        (off.discard if is_on else off.add)(name)
        self._show()
        self.changed.emit()

    def _all(self, *, is_on: bool) -> None:
        way, off = self._way
        off.clear()
        if not is_on:
            off.update(way.of(group) for group in self._groups)
        self._show()
        self.changed.emit()


class ImportPreviewTabs(QTabWidget):
    """The tabs; `choice` says what is wanted."""

    def __init__(self) -> None:
        super().__init__()
        self.setDocumentMode(True)
        self.choice = ImportChoice()
        self._apis = TableModel(("API", "Category", "Risk", "Description"), self)
        self._changes = TableModel(("API", "What", "State"), self)
        self._rejected = TableModel(("Where", "Why"), self)
        self._details = code_view("What changed, word by word")
        self._details.setMaximumHeight(110)
        changes = _table("Difference to what is there", self._changes, {1: 240, 2: 130})
        changes.selectionModel().currentChanged.connect(
            lambda now, _: self._details.setPlainText(str(now.data(KEY_ROLE) or ""))
        )
        changed = QWidget()
        column_of((changes, 1), self._details, of=changed, gap=GAP, margins=(0, GAP, 0, EDGE))
        shown = _table("APIs that would come in", self._apis, {1: 130, 2: 104, 3: 240})
        rejected = _table("Records that cannot come in", self._rejected, {1: 320})
        for page, title in (
            (shown, "First of what comes in"), (self.choice, "Choose"), (changed, "Difference"),
            (rejected, "Rejected"),
        ):  # fmt: skip
            self.addTab(page, title)

    def show_preview(self, preview: ImportPreview) -> None:
        """Show one preview."""
        self._apis.set_rows(
            [
                Row(
                    cells=(
                        one_line(a.title, 120), a.category, a.risk.value,
                        one_line(a.description, 160),
                    ),
                    key=a.id,
                    tooltip=f"{a.title}\n{a.description}",
                )
                for a in preview.first
            ]
        )  # fmt: skip
        self._rejected.set_rows(
            [
                Row(cells=(one_line(r.where, 160), r.why), key=i, tooltip=f"{r.where}\n{r.why}")
                for i, r in enumerate(preview.rejected)
            ]
        )
        self.choice.show_groups(preview)
        found = preview.comparison or Comparison()
        if not preview.is_complete:
            # What is not read yet is not gone.
            found = replace(found, missing=0, gone=[], gone_titles=[])
        self._changes.set_rows(_difference(found))
        self._details.setPlainText(
            "Choose an API to see what changed of it, word by word." if found.changes else ""
        )
        n_new = found.added - found.twice if found.new else 0
        n_all = n_new + found.changed + found.missing + found.twice
        self.setTabVisible(2, bool(n_all))
        # What was not read yet is no difference, though so far it does not come again.
        n = f"{n_all:,}" if preview.is_complete else "…"
        self.setTabText(2, f"Difference ({n})")
        self.setTabText(3, f"Rejected ({preview.rejected_count:,})")


def _difference(found: Comparison) -> list[Row]:
    rows = [
        Row(
            cells=(
                one_line(change.title, 120), one_line(", ".join(change.parts), 120),
                change.outcome,
            ),
            key="\n".join(f"{part.part}: {part.diff}" for part in change.details),
        )
        for change in found.changes
    ]  # fmt: skip
    rows += [Row(cells=(one_line(title, 120), "is new", "comes in"), key="") for title in found.new]
    rows += [
        Row(cells=(one_line(title, 120), "does not come again", "stays as it is"), key=key)
        for key, title in zip(found.gone, found.gone_titles, strict=True)
    ]
    rows += [
        Row(cells=(one_line(title, 120), "another catalogue has it too", "comes in twice"), key="")
        for title in found.elsewhere
    ]
    return rows


def _table(name: str, model: TableModel, widths: dict[int, int]) -> QuietTree:
    view = QuietTree(name, is_flat=True)
    view.set_model(model, widths)
    return view


_SIZE = (760, 600)
_HIGHEST_FORM = 240
"""Of the options of a format: what comes in must stay in view on a screen of 720 pixels."""
_FIRST = 500
"""APIs that are shown before all of a large catalogue is counted."""
_NOTHING = "Name or paste what is to be read to see what would come in."


class ImportDialog(Dialog):
    """Reads the beginning of the chosen location before anything is written."""

    _looking = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget, *, paths: Sequence[Path] = ()) -> None:
        super().__init__(context, parent, "Import tools")
        self.resize(*_SIZE)
        self._looking.connect(self._on_looking)
        self._reading: asyncio.Task[None] | None = None
        self._progress: Progress | None = None
        self._previewed: tuple[Location, dict[str, Any]] | None = None
        self.column.addWidget(text_label("Where the tools are", role="section"))
        self.source = SourceField(context)
        self.column.addWidget(self.source)
        self.format: PluginChoice | None = None
        self._format_place = column_of()
        self.name = named(QLineEdit(), "Name of the catalogue")
        self.name.setPlaceholderText("Called after its format")
        self.name.setToolTip(
            "<p>Part of every API's id: next month's crawl of the same catalogue needs the same"
            " name, another catalogue of the same format another one.</p>"
        )
        self.name.textChanged.connect(self.source.rest)
        named_place = QWidget()
        form_rows(named_place).addRow(form_label("Catalogue", self.name), self.name)
        self.add(self._format_place, named_place, self.banner)
        self.asked_values = ServerVariables()
        self.asked_values.given.connect(self._look)
        self.add(self.asked_values)
        self.summary = self.paragraph(role="dim")
        self.tabs = ImportPreviewTabs()
        self.tabs.choice.changed.connect(self._show_chosen)
        self.tabs.choice.searched.connect(self._look)
        self._preview: ImportPreview | None = None
        self._looked_at: Location | None = None
        self._empty = EmptyState(
            "import",
            "Choose a file or a folder, or paste text, to see what would come in.",
        )
        self.consent = ServerConsent(context)
        self.consent.allowed.connect(self._look)
        self.add((self._empty, 1), (self.consent, 1), (self.tabs, 1))
        self.tabs.hide()
        self.start_button = push_button("Import", self._on_import, role="primary")
        self.start_button.setEnabled(False)
        self.add_buttons(self.start_button)
        self.source.given.connect(self._look)
        # What stands below is of what was given before: it must not be imported.
        self.source.changing.connect(lambda: self.start_button.setEnabled(False))
        self._is_wanted = False
        self.source.entered.connect(self._on_entered)
        # Return was meant for what stood there: the next text asks for its own.
        self.source.line.textChanged.connect(self._forget_entered)
        if paths:
            self.source.take(paths[0])
        context.tasks.spawn(self._fill(), owner=self)

    @property
    def is_idle(self) -> bool:
        """Whether the preview of what is chosen is there."""
        is_read = self._reading is None or self._reading.done()
        return self.format is not None and self.source.is_idle and is_read

    async def _fill(self) -> None:
        await self.context.tasks.in_thread(lambda: sources.plugins)
        self.format = PluginChoice(sources, "Format", otherwise="Told from what is in it")
        self.format.edited.connect(self.source.rest)
        self._format_place.addWidget(CappedScrollArea(self.format, highest=_HIGHEST_FORM))
        self.format.set_tab_order_after(self.source.text)
        self._look()

    def _on_entered(self) -> None:
        """Return after a path goes on to what would come in; the next one imports."""
        self._is_wanted = True
        if self.is_idle and not self.tabs.isHidden():
            self._go_to_preview()

    def _forget_entered(self) -> None:
        self._is_wanted = False

    def _go_to_preview(self) -> None:
        self._is_wanted = False
        # It was shown just now, and is laid out after this.
        QTimer.singleShot(0, self, lambda: focus_pane(self.tabs))

    def _look(self) -> None:
        location = self.source.location
        if self._progress is not None:
            self._progress.cancel()
        if self._reading is not None:
            self._reading.cancel()
        self.start_button.setEnabled(False)
        self.banner.hide()
        if self.format is not None and location != self._looked_at:
            self.format.form.offer({})
            self.format.tell("")
            self.asked_values.forget()
        if location is None:
            self._show_empty(_NOTHING)
        elif self.format is not None and not self.format.form.problem:
            self._reading = self.context.tasks.spawn(
                self._read(location, **self._reading_of(self.format)), owner=self
            )

    async def _read(self, location: Location, **how: Any) -> None:
        from toolplanner_core.mcp_servers.consent import StartNotAllowed
        from toolplanner_core.sources.import_preview import preview_source

        progress = self._progress = Progress(self._on_progress)
        if location != self._looked_at:
            self._looked_at = location
            self.tabs.choice.forget()
            self._show_empty(f"Looking into {location.name} …")
        choice, workspace = self.tabs.choice, self.context.workspace
        words = ImportFilter(words=choice.leave_out.words)
        asked: list[tuple[str, Sequence[AskedValue]]] = []
        try:
            for limit in (_FIRST, None):
                preview = await self.context.tasks.in_thread(
                    partial(
                        preview_source,
                        location,
                        workspace=workspace,
                        leave_out=words,
                        limit=limit,
                        progress=progress,
                        hear_asked=lambda *told: asked.append(told),
                        **how,
                    )
                )
                self.asked_values.ask(*asked[-1])
                self._previewed = location, how
                self._show_preview(preview)
                if preview.is_complete:
                    break
        except StartNotAllowed as unasked:
            self.asked_values.ask(*asked[-1])
            self._show_empty("")
            self._empty.hide()
            self.consent.ask(unasked.specs)
        except Exception as error:  # noqa: BLE001 - shown in place
            self._show_empty("Nothing to import yet.")
            self.show_error(error, doing="Looking into the source")

    def _on_progress(self, report: ProgressReport) -> None:
        """Comes from the thread that reads."""
        self._looking.emit(f"{report.done:,} of {report.total:,}" if report.total else "")

    def _on_looking(self, read: str) -> None:
        if self._preview is not None and not self._preview.is_complete and read:
            self.summary.setText(f"{describe_preview(self._preview)} {read} files read.")

    def _show_empty(self, sentence: str) -> None:
        self._empty.say(sentence)
        self.summary.clear()
        self.tabs.hide()
        self.consent.hide()
        self._empty.show()

    def _show_preview(self, preview: ImportPreview) -> None:
        self._preview = preview
        if self.format is not None and (preview.offered or self.format.plugin_id):
            self.format.tell(preview.format_id)
            self.format.form.offer(preview.offered)
        self.tabs.show_preview(preview)
        self._empty.hide()
        self.tabs.show()
        self._show_chosen()
        if self._is_wanted and self.source.line.hasFocus():
            self._go_to_preview()

    def _show_chosen(self) -> None:
        preview = self._preview
        if preview is None:
            return
        chosen = preview.without(self.tabs.choice.leave_out)
        left = preview.apis - chosen + preview.left_out
        said = f" You leave out {counted(left, 'API')}." if left else ""
        self.summary.setText(f"{describe_preview(preview)}{said}")
        self.start_button.setText("Import" if not left else f"Import {chosen:,}")
        self.start_button.setEnabled(chosen > 0)

    def _on_import(self) -> None:
        if self.context.workspace is not None:
            self._import()
            return

        async def flow() -> None:
            try:
                await make_workspace(self.context)
            except Exception as error:  # noqa: BLE001 - shown in place
                self.show_error(error, doing="Making a workspace")
                self._show_chosen()
            else:
                self._import()

        self.start_button.setEnabled(False)
        self.context.tasks.spawn(flow(), owner=self)

    def _import(self) -> None:
        from toolplanner_core.sources.importing import import_source

        workspace, context = self.context.workspace, self.context
        if workspace is None or self._previewed is None:
            return
        location, how = self._previewed
        leave_out = self.tabs.choice.leave_out
        job = context.jobs.start(
            f"Import {location.name}",
            lambda p: import_source(workspace, location, progress=p, leave_out=leave_out, **how),
        )
        job.succeeded.connect(lambda report: on_imported(context, workspace, report))
        job.failed.connect(lambda error: context.job_failed(job, error))
        self.accept()

    def _reading_of(self, choice: PluginChoice) -> dict[str, Any]:
        options = choice.form.values
        if choice.spec in ("", self.asked_values.format_id):
            for name, given in self.asked_values.values.items():
                options[name] = [*options.get(name, ()), *given]
        return {
            "format_id": choice.spec or None,
            "options": options or None,
            "source_name": self.name.text().strip() or None,
        }

    def done(self, result: int) -> None:
        if self._progress is not None:
            self._progress.cancel()
        super().done(result)


def on_imported(context: AppContext, workspace: Workspace, report: ImportReport) -> None:
    """Next month's crawl is one step where people have curated the last one."""
    context.reload_catalogue()
    context.show_message(describe_report(report))
    has_news = bool(report.added or report.updated)

    async def go_on() -> None:
        def read() -> "UsualPreparation":
            from toolplanner_core.curation.grouping.prepare import usual_preparation

            return usual_preparation(workspace)

        usual = await context.tasks.in_thread(read)
        if usual.is_curated and usual.new is not None:
            start_preparing(context, workspace, is_anew=False)
        else:
            context.shell.open(dialog_commands.prepare)

    def prepare() -> None:
        if has_news:
            context.tasks.spawn(go_on(), owner=context)

    if report.changes or report.gone or report.rejected:
        # What asks next would cover it.
        context.shell.open(dialog_commands.import_report, report=report, then=prepare)
    else:
        prepare()


PLUGIN = DialogPlugin.of(dialog_commands.import_tools, ImportDialog)
