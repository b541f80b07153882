"""The concepts of the program: a page each in `resources/help`, whose first paragraph is the
sentence that stands in tooltips where the word appears. Called by columns, panels and Help."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from toolplanner_core.resources import resource_root


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A page of Help.

    Attributes:
        id: name of the file, and what pages link to.
        sentence: what it is, in one sentence of plain text.
        text: all of the page, Markdown; links name other concepts.
    """

    id: str
    title: str
    sentence: str
    text: str


@cache
def concept(concept_id: str) -> Concept:
    """A concept by its id.

    Raises:
        FileNotFoundError: there is none of this id.
    """
    text = (resource_root() / "help" / f"{concept_id}.md").read_text("utf-8")
    title, sentence, *_ = text.removeprefix("# ").split("\n\n")
    return Concept(id=concept_id, title=title, sentence=" ".join(sentence.split()), text=text)


def concepts() -> Sequence[Concept]:
    """All concepts, sorted by title."""
    found = (concept(path.stem) for path in (resource_root() / "help").glob("*.md"))
    return sorted(found, key=lambda each: each.title.casefold())


def explained(concept_id: str) -> str:
    """What a word means, in one sentence, for a tooltip."""
    return concept(concept_id).sentence
