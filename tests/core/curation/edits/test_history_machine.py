"""Random sequences of edits, undo, redo, jumps, reverts and restarts.

Tables, memory and the history rebuilt from scratch always agree.
"""

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.fixtures.curated import curated_workspace, edits, state_of
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.history_reading import list_history, next_steps, path_to_root
from toolplanner_core.domain.ids import EditId
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import ROOT, parents, read_forward, read_head

_SEQUENCES = 10_000 if os.environ.get("TOOLPLANNER_BENCH") else 60


class HistoryMachine(RuleBasedStateMachine):
    """`memory` takes each change as the window does; `start` is the state before the first edit."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.workspace = curated_workspace(self.folder)
        self.start = state_of(self.workspace)
        self.memory = state_of(self.workspace)

    def teardown(self) -> None:
        self.workspace.close()
        shutil.rmtree(self.folder)

    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        wanted = data.draw(edits(self.memory))
        try:
            done = history.do(self.workspace, wanted)
        except BadInput:
            return
        self.memory.apply(done.changes)

    @rule()
    def undo(self) -> None:
        try:
            self.memory.apply(history.undo(self.workspace).changes)
        except BadInput:
            assert self._head() == ROOT

    @rule()
    def redo(self) -> None:
        try:
            self.memory.apply(history.redo(self.workspace).changes)
        except BadInput:
            assert next_steps(self.workspace).redo == ""

    @rule(data=st.data())
    def jump(self, data: st.DataObject) -> None:
        points = [ROOT, *(entry.id for entry in list_history(self.workspace))]
        to = data.draw(st.sampled_from(points))
        if to != self._head():
            self.memory.apply(history.jump(self.workspace, to).changes)
            assert self._head() == to

    @rule(data=st.data())
    def revert(self, data: st.DataObject) -> None:
        done = [entry.id for entry in list_history(self.workspace) if entry.is_done]
        if not done:
            return
        try:
            reverted = history.revert(self.workspace, data.draw(st.sampled_from(done)))
        except BadInput:
            return
        self.memory.apply(reverted.changes)

    @rule()
    def restart(self) -> None:
        self.workspace.close()
        self.workspace = Workspace.open(self.workspace.path)

    @invariant()
    def tables_memory_and_history_agree(self) -> None:
        with self.workspace.snapshot() as db:
            tables = CuratedState.read(db)
            line = path_to_root(parents(db), read_head(db))
            rebuilt = CuratedState(
                toolkits=dict(self.start.toolkits),
                toolkit_of={},
                excluded=dict(self.start.excluded),
                linked=dict(self.start.linked),
                rowids=self.start.rowids,
            )
            rebuilt.toolkit_of = dict(self.start.toolkit_of)
            rebuilt.members_of = {k: dict(v) for k, v in self.start.members_of.items()}
            for edit in reversed(line):
                rebuilt.apply(read_forward(db, edit))
        for other in (self.memory, rebuilt):
            assert other.toolkits == tables.toolkits
            assert other.toolkit_of == tables.toolkit_of
            assert other.excluded == tables.excluded
            assert other.linked == tables.linked
        assert {m.toolkit for m in tables.toolkit_of.values()} <= tables.toolkits.keys()

    def _head(self) -> EditId:
        with self.workspace.snapshot() as db:
            return read_head(db)


TestHistory = HistoryMachine.TestCase
TestHistory.settings = settings(
    max_examples=_SEQUENCES,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
