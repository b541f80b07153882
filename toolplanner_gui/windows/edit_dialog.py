"""What the dialogs of curation have in common: a preview with exact counts, and one verb.

A dialog makes an edit of what stands in its fields; each change of a field is tried on the
workspace without changing it, and what would happen, or why it cannot, is shown above the button.
"""

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.consequences import consequences
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history import Done
from toolplanner_gui.bridge.newest import Newest
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.windows.dialog import Dialog


class EditDialog(Dialog):
    """A dialog that ends in one edit.

    Args:
        title: of the window.
        verb: on the button.
    """

    def __init__(self, context: AppContext, parent: QWidget, title: str, *, verb: str) -> None:
        super().__init__(context, parent, title)
        self._trial = Newest(context.tasks, self)
        self._previewed: Done | None = None
        self._made = context.chosen.made
        self.preview = text_label(role="dim", is_wrapped=True)
        self.preview.setAccessibleName("What would change")
        self.confirm_button = push_button(verb, self.confirm, role="primary")
        self.confirm_button.setEnabled(False)
        # A toolkit may end under an open dialog: undone, or merged from the command line.
        context.catalogue_edited.connect(self._on_others)

    def add_ending(self) -> None:
        """Add the preview and the buttons; the last thing a dialog adds."""
        self.add(self.preview, self.banner)
        self.add_buttons(self.confirm_button)

    def edit(self) -> Edit | None:
        """The edit that the fields ask for; None as long as something is missing."""
        raise NotImplementedError

    def origin(self) -> Mapping[str, Any]:
        """How the set of APIs was found."""
        return self._made

    def refresh(self) -> None:
        """Try the edit anew, after a field has changed."""
        self._trial.forget()
        self._previewed = None
        self.confirm_button.setEnabled(False)
        edit, workspace = self.edit(), self.context.workspace
        if edit is None or workspace is None:
            self.preview.setText(self.hint())
            return
        self._trial.ask(
            lambda: history.preview(workspace, edit),
            self._on_tried,
            lambda error: self.preview.setText(error.short),
        )

    def hint(self) -> str:
        """What is missing, while there is no edit."""
        return ""

    def describe(self, done: Done) -> str:
        """What the edit would do, in sentences."""
        lines = consequences(done, name_of=self.context.catalogue.name_of)
        return f"{done.label}. {' · '.join(lines)}." if lines else f"{done.label}."

    def confirm(self) -> None:
        """Make the edit and close."""
        edit = self.edit()
        if edit is None or self._previewed is None:
            return
        self.context.curation.do(edit, origin=self.origin())
        self.accept()

    def _on_tried(self, done: Done) -> None:
        self._previewed = done
        self.preview.setText(self.describe(done))
        self.confirm_button.setEnabled(True)

    def _on_others(self, _edit: object) -> None:
        self.refresh()
