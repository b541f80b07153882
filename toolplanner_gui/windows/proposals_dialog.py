"""What machines propose to change: parts with their counts, accepted or rejected one by one or all.

Made by clustering curated toolkits again and by placing new APIs. Nothing changes until a person
accepts; what is accepted is one edit that can be undone. A part that is looked at is selected on
the map, beside which the dialog stays; its texts and its APIs can be changed before it is accepted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QLabel, QLineEdit, QSizePolicy, QTabWidget, QWidget

from toolplanner_core.curation.edits.consequences import consequences
from toolplanner_core.curation.edits.history import Done
from toolplanner_core.curation.grouping.accepting import (
    API_TEXT,
    TEXT,
    accept_items,
    dead_items,
    preview_items,
    reject_items,
)
from toolplanner_core.curation.grouping.changing_parts import (
    FitChange,
    can_be_described,
    can_be_named,
    choose_members,
    describe_part,
    fit_changes,
    name_part,
)
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.settings import person_name
from toolplanner_core.words.formatting import count, counted, one_line, score, when
from toolplanner_core.words.word_diff import text_after_change
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.proposals import Proposal, ProposedItem, load_items, open_proposals
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.bridge.standard_dialogs import confirm
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import column_of, form_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.diff_view import diff_as_html
from toolplanner_gui.widgets.editable_text import EditableText
from toolplanner_gui.widgets.input_fields import ElidingCombo
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_LARGE = 300
"""From so many APIs or parts on it is asked."""


async def confirm_large_accept(
    context: AppContext, parent: QWidget, proposal: int, items: Sequence[ProposedItem]
) -> bool:
    """Whether these parts shall be accepted; few are not asked about, since undo is one key."""
    if max(len(items), sum(len(item.rowids) for item in items)) < _LARGE:
        return True
    workspace, positions = context.file, [item.position for item in items]
    done = await context.tasks.in_thread(lambda: preview_items(workspace, proposal, positions))
    lines = consequences(done, name_of=context.catalogue.name_of)
    parts = counted(len(items), "part")
    why = f"{' · '.join(lines)}. It is one edit, which can be undone."
    return await confirm(parent, f"Accept {parts} together?", why=why, yes=f"Accept {parts}")


_OVER = "over"
"""Said instead of the kind of a part that would change nothing any more."""
DEAD = (
    "{parts} cannot be done any more (“over”): edits since ended the toolkits or pinned the APIs."
)


def read_waiting(workspace: Workspace, proposal: int) -> tuple[list[ProposedItem], set[int]]:
    """The parts that wait, and the positions of those that can do nothing any more; not on the GUI
    thread."""
    waiting = [item for item in load_items(workspace, proposal) if not item.verdict]
    return waiting, dead_items(workspace, waiting)


def part_row(item: ProposedItem, *, is_dead: bool) -> Row:
    """The row of a part."""
    label = text_after_change(item.label)
    why = DEAD.format(parts="This") if is_dead else ""
    return Row(
        cells=(_OVER if is_dead else item.kind, one_line(label), count(len(item.rowids))),
        key=item.position,
        tooltip="\n".join(filter(None, (label, item.description, why))),
    )


def read_open(workspace: Workspace) -> list[tuple[Proposal, int]]:
    """The open proposals, the newest first, and how many parts of each can still be done; not on
    the GUI thread."""
    found: list[tuple[Proposal, int]] = []
    for proposal in open_proposals(workspace):
        waiting, dead = read_waiting(workspace, proposal.id)
        found.append((proposal, len(waiting) - len(dead)))
    return found


def proposal_title(proposal: Proposal, n_living: int) -> str:
    """What a proposal is called in the list of them."""
    waiting = f"{counted(n_living, 'part')} waiting" if n_living else "nothing left to do"
    return f"{one_line(proposal.title, 80)} · {waiting} · {when(proposal.made_us / 1e6)}"


_SAID = 3
"""Toolkits whose fit is said above the lists."""
_MOST = 1_000
"""APIs that are listed; what is beyond cannot be left out one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartDetails:
    """What is shown of a part: titles and texts of its APIs by row id, and the fits."""

    apis: Mapping[int, tuple[str, str]]
    changes: Sequence[FitChange]


def read_part_details(workspace: Workspace, item: ProposedItem) -> PartDetails:
    """Read what is shown of a part; not on the GUI thread."""
    found = apis_by_rowid(workspace, [*item.rowids, *item.left_out][:_MOST])
    return PartDetails(
        apis={rowid: (api.title, api.description) for rowid, api in found.items()},
        changes=fit_changes(workspace, item),
    )


class ProposedPart(QWidget):
    """A part that is looked at.

    Signals:
        named: another name was written.
        described: another description was written.
        members_chosen: row ids of the APIs that it shall move.
        apis_looked_at: row ids of the APIs that are chosen in the list.
    """

    named = Signal(str)
    described = Signal(str)
    members_chosen = Signal(object)
    apis_looked_at = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._item: ProposedItem | None = None
        self.name = named(QLineEdit(), "Name of the toolkit")
        self.description = EditableText(
            "Description", placeholder="Click to describe it", is_long=True
        )
        self._form = form_of(("Name", self.name), ("Description", self.description))
        self.fit = text_label(role="dim", is_wrapped=True)
        self.fit.setAccessibleName("Fit before and after")
        self.fits_model = TableModel(("Toolkit", "APIs", "Fit"), self, numbers=(1, 2))
        self.fits = QuietTree("Toolkits before and after", is_flat=True)
        self.fits.set_model(self.fits_model, {1: 92, 2: 104})
        self.members_model = TableModel(("API",), self)
        self.members = QuietTree("APIs of the part", is_flat=True)
        self.members.set_model(self.members_model, {})
        self.members.keep_both_ends()
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.members, "APIs: untick what shall stay")
        self.tabs.addTab(self.fits, "Fit before and after")
        column_of(self._form, self.fit, (self.tabs, 1), of=self, gap=GAP)
        self.name.editingFinished.connect(self._on_name)
        self.description.edited.connect(self.described)
        self.members_model.switched.connect(self._on_switched)
        self.members.selectionModel().selectionChanged.connect(self._on_looked_at)

    def show_part(self, item: ProposedItem | None, looks: PartDetails | None = None) -> None:
        """Show a part; none hides it all. What is read is shown when it is there."""
        is_other = item is None or self._item is None or item.position != self._item.position
        self._item = item
        self.setVisible(item is not None)
        if is_other:
            self.description.give_up()
        if item is None:
            return
        self._form.setRowVisible(self.name, can_be_named(item))
        self._form.setRowVisible(self.description, can_be_described(item))
        self.description.set_text(item.description)
        if is_other or not self.name.hasFocus():
            self.name.setText(item.name)
        has_lists = bool(item.rowids) and item.kind != API_TEXT
        self.tabs.setVisible(has_lists)
        policy = self.sizePolicy()
        policy.setVerticalPolicy(  # a text alone takes no room that the list of parts could have
            QSizePolicy.Policy.Preferred if has_lists else QSizePolicy.Policy.Maximum
        )
        self.setSizePolicy(policy)
        if looks is None:
            if is_other:
                self.members_model.set_rows([])
                self.fits_model.set_rows([])
                self.fit.hide()
            return
        kept = set(item.rowids)
        self.members_model.update_rows(
            [
                Row(
                    cells=(one_line(looks.apis[rowid][0]),),
                    key=rowid,
                    is_on=rowid in kept,
                    tooltip="\n".join(looks.apis[rowid]).strip(),
                )
                for rowid in sorted((*item.rowids, *item.left_out))
                if rowid in looks.apis
            ]
        )
        self.fits_model.set_rows([_fit_row(change) for change in looks.changes])
        said = [f"{one_line(each.name, 40)} {_fits(each)}" for each in looks.changes[:_SAID]]
        self.fit.setText(f"Fit: {' · '.join(said)}")
        self.fit.setVisible(bool(said))

    def _on_name(self) -> None:
        name = " ".join(self.name.text().split())
        if self._item is not None and name not in ("", self._item.name):
            self.named.emit(name)

    def _on_switched(self, key: str, is_on: bool) -> None:
        if self._item is not None:
            others = [rowid for rowid in self._item.rowids if rowid != int(key)]
            self.members_chosen.emit([*others, int(key)] if is_on else others)

    def _on_looked_at(self) -> None:
        chosen = self.members.selectionModel().selectedRows(0)
        if chosen:
            self.apis_looked_at.emit([index.data(KEY_ROLE) for index in chosen])


def _fit_row(change: FitChange) -> Row:
    sizes = " → ".join(count(n) for n in change.apis)
    name = one_line(change.name) + (" (new)" if change.toolkit is None else "")
    ended = " (ends)" if change.toolkit is not None and not change.apis[1] else ""
    return Row(cells=(f"{name}{ended}", sizes, _fits(change)), tooltip=change.name)


def _fits(change: FitChange) -> str:
    before, after = ("–" if fit is None else score(fit) for fit in change.fits)
    return f"{before} → {after}"


_SIZE = (520, 640)


class ProposalsDialog(Dialog):
    """One proposal at a time; stays beside the map."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Proposals")
        self.resize(*_SIZE)
        self._trial = LatestRequest(context.tasks, self)
        self._looking = LatestRequest(context.tasks, self)
        self._items: dict[int, ProposedItem] = {}
        self._dead: set[int] = set()
        self._saving = ""
        self.which = ElidingCombo()
        self.which.setAccessibleName("Which proposal")
        self.column.addWidget(self.which)
        self.summary = self.paragraph(role="dim")
        self.model = TableModel(("Kind", "Would", "APIs"), self, numbers=(2,))
        self.view = QuietTree("Parts of the proposal", is_flat=True)
        self.view.set_model(self.model, {0: 92, 2: 64})
        self.view.keep_both_ends()  # of a move and a merge the target stands last
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.column.addWidget(self.view, 1)
        self.part = ProposedPart()
        self.column.addWidget(self.part, 1)
        self.diff = QLabel()
        self.diff.setTextFormat(Qt.TextFormat.RichText)
        self.diff.setWordWrap(True)
        self.diff.setAccessibleName("The text with its changes")
        self.diff.hide()
        self.add(self.diff)
        self.preview = text_label(is_wrapped=True)
        self.preview.setAccessibleName("What accepting would change")
        self.add(self.preview, self.banner)
        self.accept_button = push_button(
            "Accept selected", lambda: self._accept(self._chosen()), role="primary"
        )
        self.reject_button = push_button("Reject selected", lambda: self._reject(self._chosen()))
        self.toolkit_button = push_button("Accept its toolkit", self._accept_toolkit)
        self.toolkit_button.setToolTip("All parts that are about the toolkits of the selected ones")
        self.all_button = push_button("Accept all", lambda: self._accept(None))
        buttons = self.accept_button, self.toolkit_button, self.reject_button, self.all_button
        self._answers = QWidget()
        row_of(*buttons, 1, of=self._answers, gap=GAP)
        self.add(self._answers)
        self.add_buttons(None, "Close")
        self.which.activated.connect(lambda _i: self._read_items())
        self.view.selectionModel().selectionChanged.connect(self._on_chosen)
        self.part.named.connect(self._on_named)
        self.part.described.connect(self._on_described)
        self.part.members_chosen.connect(self._on_members)
        self.part.apis_looked_at.connect(self._select)
        context.catalogue_edited.connect(self._on_edited)
        self._read()
        self.move_to_right_edge()

    @property
    def proposal(self) -> int | None:
        """The number of the proposal that is shown."""
        return self.which.currentData()

    def _on_edited(self, _edit: object) -> None:
        self._read()

    def _read(self) -> None:
        if self.context.workspace is not None:
            self.context.tasks.spawn(self._read_in_thread(self.context.workspace), owner=self)

    async def _read_in_thread(self, workspace: Workspace) -> None:
        proposals = await self.context.tasks.in_thread(lambda: read_open(workspace))
        old = self.proposal
        self.which.clear()
        for proposal, n_living in reversed(proposals):
            self.which.addItem(proposal_title(proposal, n_living), proposal.id)
        self.which.setVisible(bool(proposals))
        self.which.setCurrentIndex(max(0, self.which.findData(old)))
        self._read_items()

    def _read_items(self) -> None:
        workspace, proposal = self.context.workspace, self.proposal
        if workspace is None or proposal is None:
            self._show([])
            self.summary.setText(
                "Nothing is proposed. Describe by a model, or prepare the toolkits again, to get"
                " proposals."
            )
            return

        async def read() -> None:
            waiting, dead = await self.context.tasks.in_thread(
                lambda: read_waiting(workspace, proposal)
            )
            if proposal == self.proposal:
                self._dead = dead
                self._show(waiting)

        self.context.tasks.spawn(read(), owner=self)

    def _show(self, items: Sequence[ProposedItem]) -> None:
        chosen = self._chosen()
        self._items = {item.position: item for item in items}
        self.model.update_rows(
            [part_row(item, is_dead=item.position in self._dead) for item in items]
        )
        ignore_wheel = [self.model.position_of(position) for position in chosen]
        for place in ignore_wheel:
            if place is not None and not self._chosen():
                self.view.setCurrentIndex(self.model.index(place, 0))
        living = [item for item in items if item.position not in self._dead]
        n_apis, n_dead = sum(len(item.rowids) for item in living), len(items) - len(living)
        parts = counted(len(living), "part")
        of_apis = f" of {counted(n_apis, 'API')}" if n_apis else ""
        self.summary.setText(
            f"{parts}{of_apis} to answer. Pinned APIs and toolkits stay as they"
            " are. Choose a part to see its APIs on the map."
            + (f" {DEAD.format(parts=counted(n_dead, 'part'))}" if n_dead else "")
        )
        self.all_button.setText(f"Accept all {count(len(living))}" if living else "Accept all")
        self.all_button.setEnabled(bool(living))
        self._on_chosen()

    def _chosen(self) -> list[int]:
        return [index.data(KEY_ROLE) for index in self.view.selectionModel().selectedRows(0)]

    def _on_chosen(self) -> None:
        positions = self._chosen()
        self.accept_button.setEnabled(not self._dead.issuperset(positions))
        self.reject_button.setEnabled(bool(positions))
        items = [self._items[position] for position in positions if position in self._items]
        self.toolkit_button.setVisible(any(item.kind == API_TEXT for item in self._items.values()))
        is_open = not self._dead.issuperset(positions)
        self.toolkit_button.setEnabled(is_open and any(item.sources for item in items))
        shown = items[0] if len(items) == 1 and items[0].kind in (TEXT, API_TEXT) else None
        self.diff.setText("" if shown is None else diff_as_html(shown.label))
        self.diff.setVisible(shown is not None)
        self._select([rowid for item in items for rowid in item.rowids])
        told = [item.target for item in items if item.kind == TEXT and item.target is not None]
        if told:
            self.context.selection.select_toolkits(told, self)
        self._look_at(items[0] if len(items) == 1 else None)
        self._try(positions or None)

    def _select(self, rowids: Sequence[int]) -> None:
        if rowids:
            made = {"by": "proposal", "proposal": self.proposal}
            self.context.selection.select_apis(rowids, self, made=made)

    def _look_at(self, item: ProposedItem | None) -> None:
        """Show a part with its APIs and fits, which are read first."""
        workspace = self.context.workspace
        self._looking.forget()
        self.part.show_part(item)
        if item is not None and workspace is not None:
            self._looking.ask(
                lambda: read_part_details(workspace, item),
                lambda looks: self.part.show_part(item, looks),
            )

    def _on_named(self, name: str) -> None:
        self._change(lambda w, n, item: name_part(w, n, item.position, name, item.description))

    def _on_described(self, text: str) -> None:
        self._change(lambda w, n, item: describe_part(w, n, item.position, text))

    def _on_members(self, rowids: Sequence[int]) -> None:
        self._change(lambda w, n, item: choose_members(w, n, item.position, rowids))

    def _change(self, work: Callable[[Workspace, int, ProposedItem], ProposedItem]) -> None:
        """Change the part that is looked at, and show it as it is then."""
        workspace, proposal, chosen = self.context.workspace, self.proposal, self._chosen()
        item = self._items.get(chosen[0]) if len(chosen) == 1 else None
        if workspace is None or proposal is None or item is None:
            return

        def show(told: ProposedItem) -> None:
            self.banner.hide()
            self._items[told.position] = told
            self._show([*self._items.values()])

        def refuse(error: ToolPlannerError) -> None:
            self.show_error(error, doing="Changing the part")
            self._look_at(item)

        self._looking.ask(lambda: work(workspace, proposal, item), show, refuse)

    def _try(self, positions: list[int] | None) -> None:
        workspace, proposal = self.context.workspace, self.proposal
        self._trial.forget()
        if workspace is None or proposal is None or not self._items or self._saving:
            self.preview.setText(self._saving)
            return

        def show(done: Done) -> None:
            lines = consequences(done, name_of=self.context.catalogue.name_of)
            which = "All of it" if positions is None else counted(len(positions), "part")
            self.preview.setText(f"{which}: {' · '.join(lines)}.")

        self._trial.ask(
            lambda: preview_items(workspace, proposal, positions),
            show,
            lambda error: self.preview.setText(error.short),
        )

    def _accept(self, positions: list[int] | None) -> None:
        proposal = self.proposal
        if proposal is not None and not self._saving:
            # The button is switched off; the keyboard must not go on to one that accepts more.
            self.view.setFocus()
            chosen = [*self._items] if positions is None else positions
            chosen = [position for position in chosen if position not in self._dead]
            self._say_saving(f"Working out what {counted(len(chosen), 'part')} would change …")
            self.context.tasks.spawn(self._accept_when_sure(proposal, chosen), owner=self)

    async def _accept_when_sure(self, proposal: int, positions: list[int]) -> None:
        who, curation = person_name(), self.context.curation
        try:
            items = [self._items[at] for at in positions]
            self.banner.hide()
            if await confirm_large_accept(self.context, self, proposal, items):
                self._say_saving(f"Saving {counted(len(items), 'part')} …")
                done = await curation.run(
                    lambda w: accept_items(w, proposal, positions, who=who), report=self._refuse
                )
                if done is not None:
                    self._take_out(proposal, positions)
        except ToolPlannerError as error:
            self._refuse(error)
        finally:
            self._say_saving("")

    def _take_out(self, proposal: int, accepted: Sequence[int]) -> None:
        """Show what waits still: what was accepted must not be tried again until all is read."""
        if proposal == self.proposal:
            self._show([item for at, item in self._items.items() if at not in accepted])

    def _refuse(self, error: BaseException) -> None:
        """Say it here: what the window says would stand behind this dialog."""
        self.show_error(error, doing="Accepting")
        self._read_items()

    def _say_saving(self, words: str) -> None:
        self._saving = words
        for part in (self._answers, self.which, self.part):
            part.setEnabled(not words)
        self._try(self._chosen() or None)

    def _accept_toolkit(self) -> None:
        chosen = {kit for at in self._chosen() for kit in self._items[at].sources}
        self._accept([at for at, item in self._items.items() if chosen & {*item.sources}])

    def _reject(self, positions: list[int]) -> None:
        workspace, proposal = self.context.workspace, self.proposal
        if workspace is None or proposal is None:
            return

        async def work() -> None:
            await self.context.tasks.in_thread(lambda: reject_items(workspace, proposal, positions))
            self._read()

        self.context.tasks.spawn(work(), owner=self)


PLUGIN = DialogPlugin.of(dialog_commands.proposals, ProposalsDialog, is_beside=True)
