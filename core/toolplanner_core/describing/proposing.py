"""What a model wrote, beside what is there, as a proposal: one part for each toolkit."""

from toolplanner_core.curation.grouping.accepting import TEXT
from toolplanner_core.describing.estimate import DescribeEstimate
from toolplanner_core.domain.curated import ToolkitFields
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.words.word_diff import word_diff
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import all_toolkits
from toolplanner_core.workspace.described_texts import known_texts
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.proposals import ProposedItem, put_proposal

KIND = "describe"


def propose_texts(workspace: Workspace, found: DescribeEstimate, *, model: str) -> int | None:
    """Store the proposal; its number, or None when no text would change.

    What a person wrote stays: of a toolkit with an own name only the description is proposed.
    """
    answers = known_texts(workspace, [one.key for one in found.wanted])
    with workspace.snapshot() as db:
        fields, head = all_toolkits(db), read_head(db)
    items: list[ProposedItem] = []
    for one in found.wanted:
        answer, own = answers.get(one.key), fields.get(one.toolkit)
        if answer is None or own is None:
            continue
        name = own.name if own.name_author is Author.PERSON else answer["name"]
        text = own.description
        if own.description_author is not Author.PERSON:
            text = answer["description"]
        if (name, text) != (own.name, own.description):
            items.append(_item(len(items), one.toolkit, own, name, text))
    if not items:
        return None
    title = f"Names and descriptions by {model}"
    about = {"model": model}
    return workspace.writer.run(
        lambda db: put_proposal(db, kind=KIND, title=title, head=head, about=about, items=items),
        durable=True,
    )


def _item(
    position: int, toolkit: ToolkitId, own: ToolkitFields, name: str, text: str
) -> ProposedItem:
    renamed = f"Rename “{own.name}” to “{name}”" if name != own.name else f"Describe “{name}”"
    return ProposedItem(
        position=position,
        kind=TEXT,
        label=f"{renamed}: {word_diff(own.description, text)}",
        rowids=(),
        target=toolkit,
        name=name,
        description=text,
        sources=(toolkit,),
    )
