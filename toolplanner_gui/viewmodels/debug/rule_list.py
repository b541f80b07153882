"""The breakpoints, or the faults, of the workspace: read when it is opened, kept with every change.

`DebugSession` has one list of each and passes them to runs; panels, dialogs and menus change them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.saved_rules import (
    RuleKind,
    SavedRule,
    active_texts,
    check_rule,
    queue_rules,
    saved_rules,
)
from toolplanner_core.workspace import Workspace


class RuleList(QObject):
    """Rules in the order in which they were added. GUI thread."""

    changed = Signal()

    def __init__(
        self,
        kind: RuleKind,
        workspace: Workspace,
        report: Callable[[BaseException], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.kind = kind
        self._report = report
        self._workspace = workspace
        self.items = tuple(self._read())
        """All rules."""

    @property
    def active(self) -> tuple[str, ...]:
        """Texts of those that are switched on."""
        return active_texts(self.items)

    def find(self, text: str) -> SavedRule | None:
        """The rule of this text."""
        return next((rule for rule in self.items if rule.text == text), None)

    def _read(self) -> Iterator[SavedRule]:
        for rule in saved_rules(self._workspace, self.kind):
            try:
                check_rule(self.kind, rule.text)
            except BadInput as error:  # of a newer program: no reason not to open the workspace
                self._report(error)
            else:
                yield rule

    def put(self, text: str, *, instead_of: str | None = None) -> None:
        """Add a rule, or change one; it is switched on.

        Raises:
            BadInput: the text is wrong.
        """
        old = self.find(text) if text == instead_of else None
        made = SavedRule(text=text, hits=old.hits if old is not None else 0)
        kept = [rule for rule in self.items if rule.text != text or rule.text == instead_of]
        if any(rule.text == instead_of for rule in kept):
            self._store([made if rule.text == instead_of else rule for rule in kept])
        else:
            self._store([*kept, made])

    def remove(self, texts: Sequence[str]) -> None:
        """Take rules away."""
        self._store([rule for rule in self.items if rule.text not in texts])

    def switch(self, *texts: str, is_on: bool) -> None:
        """Switch some on or off; all, if none is named."""
        self._store(
            [
                replace(rule, is_on=is_on) if not texts or rule.text in texts else rule
                for rule in self.items
            ]
        )

    def toggle(self, text: str) -> bool:
        """Add the rule, or remove it if it is there. Returns whether it is there now."""
        if self.find(text) is not None:
            self.remove([text])
            return False
        self.put(text)
        return True

    def count(self, hits: Mapping[str, int]) -> None:
        """Add the hits of a run that has ended; the engine has stored them already."""
        self.items = tuple(replace(r, hits=r.hits + hits.get(r.text, 0)) for r in self.items)
        self.changed.emit()

    def _store(self, items: Sequence[SavedRule]) -> None:
        stored = queue_rules(self._workspace, self.kind, items)
        stored.add_done_callback(self._tell)
        self.items = tuple(items)
        self.changed.emit()

    def _tell(self, done: "Future[None]") -> None:
        error = done.exception()
        if error is not None:
            self._report(error)
