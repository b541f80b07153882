"""The questions as they were found last, kept in the workspace: listed at once at the next opening,
while they are found anew behind it, which takes 10 s of the processor at 45,000 APIs.
"""

import base64
import contextlib
import json
import zlib
from collections.abc import Sequence
from typing import Any

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind, Signal
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting, put_setting
from toolplanner_core.workspace.toolkits import list_toolkits

_SETTING = "review_questions"
_MOST = 64_000_000
"""Bytes of questions that are read: what a workspace of others holds here may be anything."""


def cache_questions(workspace: Workspace, questions: Sequence[Candidate]) -> None:
    """Keep what was found, answered or not. Does not wait until it is on disk."""
    text = json.dumps([_row(one) for one in questions], ensure_ascii=False)
    packed = base64.b64encode(zlib.compress(text.encode(), 1)).decode()
    of = _made_of(workspace)
    workspace.writer.submit(lambda db: put_setting(db, _SETTING, {"of": of, "questions": packed}))


def cached_questions(workspace: Workspace) -> list[Candidate]:
    """What was kept, as far as its toolkits live; nothing after another clustering."""
    kept: Any = get_setting(workspace, _SETTING)
    with contextlib.suppress(TypeError, ValueError, LookupError, zlib.error):
        if kept is not None and kept["of"] == _made_of(workspace):
            packed = base64.b64decode(kept["questions"])
            rows = json.loads(zlib.decompressobj().decompress(packed, _MOST))
            living = {toolkit.id for toolkit in list_toolkits(workspace)}
            return [one for one in map(_question, rows) if living.issuperset(one.toolkits)]
    return []


def _made_of(workspace: Workspace) -> list[Any]:
    names = ("active_embedder", "active_clustering")
    return [get_setting(workspace, name, None) for name in names]


def _row(one: Candidate) -> list[Any]:
    signals = {name: [float(each.value), each.sentence] for name, each in one.signals.items()}
    ids = (list(map(int, some)) for some in (one.about, one.toolkits, one.apis))
    confidence = None if one.confidence is None else float(one.confidence)
    return [one.kind.value, one.title, *ids, signals, float(one.gain), confidence]


def _question(row: Any) -> Candidate:
    kind, title, about, toolkits, apis, signals, gain, confidence = row
    return Candidate(
        kind=CandidateKind(kind),
        title=str(title),
        about=tuple(map(int, about)),
        toolkits=tuple(ToolkitId(int(each)) for each in toolkits),
        apis=tuple(map(int, apis)),
        signals={
            str(name): Signal(float(value), str(said)) for name, (value, said) in signals.items()
        },
        gain=float(gain),
        confidence=None if confidence is None else float(confidence),
    )
