"""What a fork changes: the first call or question from its place on, as the parent has it."""

import dataclasses
from collections.abc import Collection, Mapping

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.runs.debugging.stops import Stop
from toolplanner_core.runs.events.call import CallRefused, CallSent
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.question import ModelAsked, ModelReplied
from toolplanner_core.runs.reading import typed
from toolplanner_core.runs.spec import ForkEdit
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_log import StoredRow, read_records

_CHUNK = 500
_CALL_BEGINS = (CallSent.type, CallRefused.type)
_QUESTION_BEGINS = (ModelAsked.type, ModelReplied.type)


def place_edit(
    workspace: Workspace, run: RunId, seq: int, path: NodePath, edit: ForkEdit
) -> ForkEdit:
    """The edit with the path of the call or question that it is for. Blocks.

    Args:
        seq: the last event that both runs have.
        path: the node where they part, "" if any.

    Raises:
        NotFound: no question follows.
        BadInput: what is changed is not there, or does not fit.
    """
    is_of_call = edit.arguments is not None or edit.api is not None
    if is_of_call and edit.is_of_question:
        raise BadInput("A fork changes a call or a question, not both", todo="Fork once more")
    if edit.messages is not None and edit.answer is not None:
        raise BadInput(
            "A question that is answered by hand is not asked",
            todo="Change its messages or give its answer, not both",
        )
    begins = _QUESTION_BEGINS if edit.is_of_question else _CALL_BEGINS
    row = _first_of(workspace, run, seq, path, begins)
    if edit.is_of_question and row is None:
        raise NotFound("No question to a model follows there", todo="Fork at a question")
    if row is not None and row.type == ModelAsked.type:
        asked = event_at(workspace, run, row.seq).event
        assert isinstance(asked, ModelAsked)
        if misfit := question_misfit(asked, edit):
            raise BadInput(misfit)
    return dataclasses.replace(edit, at=path if row is None else row.path)


def next_question(workspace: Workspace, run: RunId, seq: int, path: NodePath) -> NodePath | None:
    """Where the next question is; None if a call comes before it, or nothing. Blocks."""
    row = _first_of(workspace, run, seq, path, (*_CALL_BEGINS, *_QUESTION_BEGINS))
    return row.path if row is not None and row.type in _QUESTION_BEGINS else None


def event_at(workspace: Workspace, run: RunId, seq: int) -> Record:
    """An event with all its texts. Blocks."""
    return typed(read_records(workspace, run, after_seq=seq - 1, limit=1, everything=True))[0]


def question_misfit(asked: ModelAsked | Stop, edit: ForkEdit) -> str:
    """Why a question cannot be changed like this, "" if it can."""
    # Here: whoever lists what can be forked needs no validator.
    from toolplanner_core.runs.stages.arguments import value_misfit
    from toolplanner_core.runs.stages.instead import messages_misfit, turn_misfit, with_messages

    if not asked.messages:
        return ""  # a person answered before it was asked: nobody knows what would fit
    if edit.answer is not None and asked.schema:
        misfit = value_misfit(asked.schema, edit.answer)
    elif edit.answer is not None:
        misfit = turn_misfit(edit.answer, {str(tool.get("name")) for tool in asked.tools})
    else:
        misfit = ""
    if misfit:
        return f"The answer does not fit: {misfit}"
    if edit.messages is None:
        return ""
    if isinstance(edit.messages, Mapping):
        unknown = set(edit.messages).difference(range(1, len(asked.messages) + 1))
        if unknown:
            return f"There is no message {min(unknown)}, only 1 to {len(asked.messages)}"
    return messages_misfit(with_messages(asked.messages, edit.messages))


def _first_of(
    workspace: Workspace, run: RunId, seq: int, path: NodePath, begins: Collection[str]
) -> StoredRow | None:
    """The first such event from the fork point on, at the node itself or below it if it has one."""
    first: StoredRow | None = None
    while rows := read_records(workspace, run, after_seq=seq, limit=_CHUNK):
        for row in rows:
            if row.type not in begins:
                continue
            if not path or row.path == path or row.path.startswith(f"{path}/"):
                return row
            first = first or row
        seq = rows[-1].seq
    return first
