"""What the card of a question shows beside its signals: both sides, and what "accept" would do.

Not for the GUI thread: naming the part of a split takes up to half a second, the rest some tens of
milliseconds.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.describe import Describe, Rename
from toolplanner_core.curation.edits.move import NewToolkit
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.curation.questions.kinds.candidate import (
    AGREES,
    Candidate,
    CandidateKind,
)
from toolplanner_core.curation.questions.queue.answer_effects import (
    effect_of_answer,
    shared_neighbours,
)
from toolplanner_core.curation.questions.queue.priority import signal_word
from toolplanner_core.curation.questions.queue.proposing import Proposed, best_documented, propose
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.words.formatting import counted, one_line, score
from toolplanner_core.words.word_diff import mark_differences
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.toolkits import get_toolkit, member_rowids

_MEMBERS = 7
_TEXT = 400
_READ = 40
"""APIs of a side whose parameters are read."""
_PARAMETERS, _NAMES = 14, 240
_COMPARED = (
    CandidateKind.MERGE, CandidateKind.MOVE, CandidateKind.BLAMED, CandidateKind.STAND_IN,
)  # fmt: skip
"""Kinds of questions about two toolkits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two things that are compared.

    Attributes:
        role: what it is in this question, such as "Would end".
        figures: size and cohesion in words.
        text, parameters: with marks of `words/word_diff.py` at what the other side lacks, where
            two sides are compared.
        members: titles of its most central APIs.
        more: how many others it has.
        toolkit: its id; None where it is no toolkit yet.
    """

    role: str
    name: str
    text: str = ""
    figures: str = ""
    parameters: str = ""
    members: tuple[str, ...] = ()
    more: int = 0
    toolkit: ToolkitId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """All of it.

    Attributes:
        without: toolkits of a group that would not join.
        about: the API that a move is about, "" else.
        proposed: what accepting does.
        problem: why it cannot be done any more; "" if it can.
        consequences: figures before and after, as sentences.
    """

    key: str
    evidence: str
    without: frozenset[ToolkitId]
    sides: tuple[Side, ...]
    about: str
    shared: str
    proposed: Proposed | None
    problem: str
    consequences: tuple[str, ...]

    @property
    def is_group(self) -> bool:
        """Whether the sides after the first are toolkits of which each may join it or not."""
        return self.key.startswith(f"{CandidateKind.GROUP}:")


def read_card(
    workspace: Workspace,
    queue: ReviewQueue,
    candidate: Candidate,
    *,
    without: Collection[ToolkitId] = (),
) -> Card:
    """The card of a question, with figures of the moment as far as its evidence is there.

    Args:
        without: toolkits of a group that are not to join: they are shown and nothing is done to
            them.
    """
    proposed, problem, lines = None, "", ()
    evidence = queue.evidence
    try:
        proposed = propose(workspace, candidate.without(without))
        if proposed.edit is not None:
            changes = history.preview(workspace, proposed.edit).changes
            if evidence is not None:
                lines = effect_of_answer(evidence, changes).in_words(
                    outweighed_by=_for_it(candidate)
                )
    except ToolPlannerError as error:
        problem = error.sentence
    reader = _Reader(workspace, queue)
    shared: list[str] = []
    if evidence is not None and candidate.kind in _COMPARED and len(candidate.toolkits) > 1:
        shared = shared_neighbours(evidence, *candidate.toolkits[:2])
    return Card(
        key=candidate.key,
        evidence=candidate.evidence,
        without=frozenset(without),
        sides=_marked(reader.sides(candidate, proposed)),
        about=reader.about(candidate),
        shared=", ".join(f"“{one_line(name, 40)}”" for name in shared),
        proposed=proposed,
        problem=problem,
        consequences=lines,
    )


def _for_it(candidate: Candidate) -> str:
    """The signals that speak for a question, the strongest two."""
    strong = sorted(candidate.signals.items(), key=lambda one: -one[1].value)
    names = [signal_word(name) for name, one in strong if one.value >= AGREES]
    return " and ".join(names[:2])


def _marked(sides: tuple[Side, ...]) -> tuple[Side, ...]:
    """Two sides with the words marked that differ."""
    if len(sides) != 2:
        return sides
    one, other = sides
    texts, names = (one.text, other.text), (one.parameters, other.parameters)
    if all(texts):
        texts = mark_differences(*texts)
    if all(names):
        first, second = (set(each.split(", ")) for each in names)
        both = first & second
        names = (_mark_names(names[0], both), _mark_names(names[1], both))
    return (
        replace(one, text=texts[0], parameters=names[0]),
        replace(other, text=texts[1], parameters=names[1]),
    )


def _mark_names(names: str, known: set[str]) -> str:
    return ", ".join(n if n in known else f"{{+{n}+}}" for n in names.split(", "))


class _Reader:
    """Makes the sides of a card."""

    def __init__(self, workspace: Workspace, queue: ReviewQueue) -> None:
        self._workspace = workspace
        self._evidence = queue.evidence

    def about(self, candidate: Candidate) -> str:
        """The API that a move is about, with its documentation."""
        is_of_one = candidate.kind is CandidateKind.MOVE or (
            candidate.kind is CandidateKind.HOMELESS and len(candidate.apis) == 1
        )
        if not is_of_one:
            return ""
        api = next(iter(apis_by_rowid(self._workspace, candidate.apis).values()), None)
        if api is None:
            return ""
        text = api.description or api.tool_description or "no description"
        return f"{api.title}: {one_line(text, _TEXT)}"

    def sides(self, candidate: Candidate, proposed: Proposed | None) -> tuple[Side, ...]:
        """What is compared."""
        toolkits = candidate.toolkits
        edit = None if proposed is None else proposed.edit
        match candidate.kind:
            case CandidateKind.MERGE:
                return (self._toolkit(toolkits[0], "Stays"), self._toolkit(toolkits[1], "Joins it"))
            case CandidateKind.GROUP:
                others = [self._toolkit(one, "Joins it") for one in toolkits[1:]]
                return (self._toolkit(toolkits[0], "Stays"), *others)
            case CandidateKind.MOVE:
                there = self._toolkit(toolkits[1], "Would be in")
                return (self._toolkit(toolkits[0], "Is in"), there)
            case CandidateKind.SPLIT:
                members = member_rowids(self._workspace, toolkits[0])
                whole = get_toolkit(self._workspace, toolkits[0])
                stays = [one for one in members if one not in candidate.apis]
                leaves = [one for one in members if one in candidate.apis]
                name, text = "", ""
                if isinstance(edit, Split) and edit.names:
                    name, text = edit.names[0], edit.descriptions[0]
                return (
                    self._apis("Stays", whole.name, whole.description, stays),
                    self._apis("Its own", name, text, leaves),
                )
            case CandidateKind.DUPLICATE:
                return self._copies(candidate.apis)
            case CandidateKind.HOMELESS:
                if toolkits:
                    return (self._toolkit(toolkits[0], "Would be in"),)
                about = "No toolkit", "None is near", ""
                if isinstance(edit, NewToolkit):
                    about = "New toolkit", edit.name, edit.description
                return (self._apis(*about, candidate.apis),)
            case CandidateKind.NAME | CandidateKind.DESCRIPTION:
                return (self._toolkit(toolkits[0], "Now"), *self._rewritten(edit))
            case CandidateKind.STAND_IN:
                roles = ("Would move", "Stays") if len(toolkits) > 1 else ("One", "The other")
                return self._each(candidate.apis, roles)
            case CandidateKind.BLAMED:
                others = [self._toolkit(one, "Did it instead") for one in toolkits[1:2]]
                return (self._toolkit(toolkits[0], "Blamed"), *others)

    def _rewritten(self, edit: object) -> tuple[Side, ...]:
        if isinstance(edit, Rename):
            return (Side(role="Proposed", name=edit.name),)
        if isinstance(edit, Describe):
            return (Side(role="Proposed", name="Description by rule", text=edit.description),)
        return ()

    def _toolkit(self, toolkit: ToolkitId, role: str) -> Side:
        found = get_toolkit(self._workspace, toolkit)
        members = member_rowids(self._workspace, toolkit)
        known = self._evidence
        place = -1 if known is None else known.place_of(toolkit)
        figures = counted(found.size, "API")
        if known is not None and 0 <= place < len(known.cohesion.cohesion):
            figures += f" · fit {score(float(known.cohesion.cohesion[place]))}"
        if found.pinned:
            figures += " · pinned"
        side = self._apis(role, found.name, found.description, members)
        return replace(side, figures=figures, toolkit=toolkit)

    def _apis(self, role: str, name: str, text: str, rowids: Sequence[int]) -> Side:
        return Side(
            role=role,
            name=name,
            text=one_line(text, _TEXT),
            figures=counted(len(rowids), "API"),
            parameters=self._parameters(rowids),
            members=self._titles(rowids),
            more=max(0, len(rowids) - _MEMBERS),
        )

    def _copies(self, rowids: Sequence[int]) -> tuple[Side, ...]:
        kept = best_documented(self._workspace, rowids)
        others = [one for one in rowids if one != kept]
        first, second = self._each((kept, others[0]), ("Is kept", "Is excluded"))
        return (first, replace(second, more=len(others) - 1))

    def _each(self, rowids: Sequence[int], roles: Sequence[str]) -> tuple[Side, ...]:
        """APIs, each with its documentation."""
        apis = apis_by_rowid(self._workspace, rowids)
        sides: list[Side] = []
        for role, rowid in zip(roles, rowids, strict=True):
            api = apis[rowid]
            names = ", ".join(dict.fromkeys(one.name for one in api.parameter_list))
            sides.append(
                Side(
                    role=role,
                    name=api.title,
                    text=one_line(api.description or "no description", _TEXT),
                    figures=f"{api.method} {one_line(api.url, 90)}",
                    parameters=one_line(names or "none", _NAMES),
                    members=(f"Catalogue: {api.key}",),
                )
            )
        return tuple(sides)

    def _parameters(self, rowids: Sequence[int]) -> str:
        """Names of parameters, those that most of the APIs have first."""
        apis = apis_by_rowid(self._workspace, list(rowids[:_READ]))
        n = Counter(each.name for api in apis.values() for each in api.parameter_list)
        return one_line(", ".join(name for name, _ in n.most_common(_PARAMETERS)), _NAMES)

    def _titles(self, rowids: Sequence[int]) -> tuple[str, ...]:
        chosen = list(rowids[:_MEMBERS])
        apis = apis_by_rowid(self._workspace, chosen)
        return tuple(one_line(apis[r].title, 80) for r in chosen if r in apis)
