"""Write the name, the description or the note of a toolkit."""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.curation.edits.edit import Edit, Planned, known_apis, living
from toolplanner_core.domain.curated import Changes, CuratedView, Functionality
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.words.formatting import counted

_NAME_LIMIT = 200
"""Characters; longer ones fit no list and no prompt."""


def proper_name(name: str, *, of: str) -> str:
    """A name in one line.

    Raises:
        BadInput: it is empty or too long.
    """
    name = " ".join(name.split())
    if not name:
        raise BadInput(f"A {of} needs a name")
    if len(name) > _NAME_LIMIT:
        raise BadInput(f"The name has {len(name)} characters, at most {_NAME_LIMIT} are useful")
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename(Edit):
    """Give a toolkit another name.

    Attributes:
        author: who wrote it; names written by a person are never replaced by a machine.
    """

    kind: ClassVar[str] = "rename"

    toolkit: ToolkitId
    name: str
    author: str = Author.PERSON.value

    def plan(self, view: CuratedView) -> Planned:
        """Name and author."""
        old = living(view, self.toolkit)
        name = proper_name(self.name, of="toolkit")
        fields = {"name": name, "name_author": Author(self.author), "proposed_name": ""}
        return Planned(
            label=f"Rename “{old.name}” to “{name}”",
            changes=Changes(toolkits={self.toolkit: fields}),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe(Edit):
    """Give a toolkit another description: what a planner reads about it."""

    kind: ClassVar[str] = "describe"

    toolkit: ToolkitId
    description: str
    author: str = Author.PERSON.value

    def plan(self, view: CuratedView) -> Planned:
        """Description and author."""
        name = living(view, self.toolkit).name
        fields = {
            "description": self.description.strip(),
            "description_author": Author(self.author),
            "is_description_old": False,
        }
        return Planned(label=f"Describe “{name}”", changes=Changes(toolkits={self.toolkit: fields}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Retell(Edit):
    """Take over names and descriptions that a model wrote, of many toolkits at once; what a person
    wrote stays.

    Attributes:
        toolkits, names, descriptions: in the same order; toolkits that have ended are passed over.
        by_person: toolkits whose proposed texts a person wrote anew.
    """

    kind: ClassVar[str] = "retell"

    toolkits: tuple[ToolkitId, ...]
    names: tuple[str, ...]
    descriptions: tuple[str, ...]
    by_person: tuple[ToolkitId, ...] = ()

    def plan(self, view: CuratedView) -> Planned:
        """Names, descriptions and their author."""
        changed: dict[ToolkitId, dict[str, Any]] = {}
        texts = zip(self.toolkits, self.names, self.descriptions, strict=True)
        for toolkit, name, description in texts:
            old = view.toolkit(toolkit)
            fields: dict[str, Any] = {}
            if old is None or old.is_pinned:
                continue
            is_told = toolkit in self.by_person
            author = Author.PERSON if is_told else Author.MODEL
            if (is_told or old.name_author is not Author.PERSON) and name != old.name:
                fields |= {"name": proper_name(name, of="toolkit"), "name_author": author}
                fields["proposed_name"] = ""
            is_free = is_told or old.description_author is not Author.PERSON
            if is_free and (description != old.description or old.is_description_old):
                fields |= {
                    "description": description,
                    "description_author": author,
                    "is_description_old": False,
                }
            if fields:
                changed[toolkit] = fields
        if not changed:
            raise BadInput(
                "Nothing of this can be done any more",
                why="The toolkits have ended, are pinned, or a person has named them since",
                todo="Reject it",
            )
        return Planned(
            label=f"Take over texts of {counted(len(changed), 'toolkit')}",
            changes=Changes(toolkits=changed),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerNames(Edit):
    """Take the names that the rule proposes for toolkits whose members are others now, or keep the
    names they have.

    Attributes:
        is_taken: whether the proposed names are taken; else the proposals are forgotten.
    """

    kind: ClassVar[str] = "answer_names"

    toolkits: tuple[ToolkitId, ...]
    is_taken: bool = True

    def plan(self, view: CuratedView) -> Planned:
        """Names by rule as before, or no proposal any more."""
        changed: dict[ToolkitId, dict[str, Any]] = {}
        for toolkit in self.toolkits:
            old = living(view, toolkit)
            if old.proposed_name:
                named = {"name": old.proposed_name} if self.is_taken else {}
                changed[toolkit] = {**named, "proposed_name": ""}
        if not changed:
            raise BadInput(
                "No name is proposed for these toolkits",
                why="It was taken or refused, or their members are as before",
            )
        if len(changed) > 1:
            verb = "Take" if self.is_taken else "Refuse"
            label = f"{verb} {counted(len(changed), 'proposed name')}"
        else:
            old = living(view, next(iter(changed)))
            label = f"Keep the name “{old.name}”"
            if self.is_taken:
                label = f"Call “{old.name}” “{old.proposed_name}”"
        return Planned(label=label, changes=Changes(toolkits=changed))


@dataclass(frozen=True, slots=True, kw_only=True)
class TellApis(Edit):
    """Say what APIs do, in the texts that are embedded; what a person wrote stays unless a person
    writes again.

    Attributes:
        rowids, texts: in the same order.
        author: who wrote them.
        by_person: APIs whose proposed texts a person wrote anew.
    """

    kind: ClassVar[str] = "tell_apis"

    rowids: tuple[int, ...]
    texts: tuple[str, ...]
    author: str = Author.PERSON.value
    by_person: tuple[int, ...] = ()

    def plan(self, view: CuratedView) -> Planned:
        """The texts and their author."""
        known_apis(view, self.rowids)
        before = view.texts(self.rowids)
        told: dict[int, Functionality] = {}
        for rowid, given in zip(self.rowids, self.texts, strict=True):
            text, old = " ".join(given.split()), before.get(rowid)
            author = Author.PERSON if rowid in self.by_person else Author(self.author)
            if not text:
                raise BadInput("The text of an API is empty")
            if author is Author.PERSON or old is None or old.author is not Author.PERSON:
                told[rowid] = Functionality(text, author)
        if not told:
            raise BadInput(
                "Nothing of this can be done any more",
                why="A person has written these texts since",
                todo="Reject it",
            )
        verb = "Write the text" if self.author == Author.PERSON.value else "Take over the text"
        return Planned(
            label=f"{verb}{'s' * (len(told) > 1)} of {counted(len(told), 'API')}",
            changes=Changes(texts=told),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Edit):
    """Write a note for people about a toolkit; no planner reads it."""

    kind: ClassVar[str] = "note"

    toolkit: ToolkitId
    note: str

    def plan(self, view: CuratedView) -> Planned:
        """The note."""
        name = living(view, self.toolkit).name
        return Planned(
            label=f"Note on “{name}”",
            changes=Changes(toolkits={self.toolkit: {"note": self.note.strip()}}),
        )
