"""What a model wrote, beside what is there, as proposals: one part for each toolkit or API."""

from collections.abc import Sequence

from toolplanner_core.curation.grouping.accepting import API_TEXT, TEXT
from toolplanner_core.curation.grouping.changing_parts import api_label_of, text_label_of
from toolplanner_core.describing.estimate import DescribeEstimate, DescribeSubject, DescribeWhat
from toolplanner_core.domain.curated import ToolkitFields
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import CuratedTables, all_toolkits
from toolplanner_core.workspace.described_texts import known_texts
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.proposals import ProposedItem, put_proposal

KINDS = {DescribeWhat.TOOLKITS: "describe", DescribeWhat.APIS: "describe APIs"}
_TITLES = {
    DescribeWhat.TOOLKITS: "Names and descriptions of toolkits by {}",
    DescribeWhat.APIS: "Texts of APIs by {}",
}


def propose_texts(workspace: Workspace, found: DescribeEstimate, *, model: str) -> list[int]:
    """Store a proposal for toolkits and one for APIs; their numbers, none where no text would
    change. Blocks.

    What a person wrote stays: of a toolkit with an own name only the description is proposed.
    """
    answers = known_texts(workspace, [subject.key for subject in found.subjects])
    answered = [subject for subject in found.subjects if subject.key in answers]
    numbers: list[int] = []
    for what, make in ((DescribeWhat.TOOLKITS, _toolkit_items), (DescribeWhat.APIS, _api_items)):
        items = make(workspace, [one for one in answered if one.what is what], answers)
        if items:
            numbers.append(_put(workspace, what, items, model))
    return numbers


def _put(
    workspace: Workspace, what: DescribeWhat, items: Sequence[ProposedItem], model: str
) -> int:
    with workspace.snapshot() as db:
        head = read_head(db)
    title = _TITLES[what].format(model)
    return workspace.writer.run(
        lambda db: put_proposal(
            db, kind=KINDS[what], title=title, head=head, about={"model": model}, items=items
        ),
        durable=True,
    )


def _toolkit_items(
    workspace: Workspace, subjects: Sequence[DescribeSubject], answers: dict[str, dict[str, str]]
) -> list[ProposedItem]:
    with workspace.snapshot() as db:
        fields = all_toolkits(db)
    items: list[ProposedItem] = []
    for one in subjects:
        toolkit = ToolkitId(one.id)
        answer, own = answers[one.key], fields.get(toolkit)
        if own is None:
            continue
        name = own.name if own.name_author is Author.PERSON else answer["name"]
        text = own.description
        if own.description_author is not Author.PERSON:
            text = answer["description"]
        if (name, text) != (own.name, own.description):
            items.append(_toolkit_item(len(items), toolkit, own, name, text))
    return items


def _toolkit_item(
    position: int, toolkit: ToolkitId, own: ToolkitFields, name: str, text: str
) -> ProposedItem:
    return ProposedItem(
        position=position,
        kind=TEXT,
        label=text_label_of(own, name, text),
        rowids=(),
        target=toolkit,
        name=name,
        description=text,
        sources=(toolkit,),
    )


def _api_items(
    workspace: Workspace, subjects: Sequence[DescribeSubject], answers: dict[str, dict[str, str]]
) -> list[ProposedItem]:
    rowids = [one.id for one in subjects]
    with workspace.snapshot() as db:
        view = CuratedTables(db)
        now, homes = view.texts(rowids), view.memberships(rowids)
    items: list[ProposedItem] = []
    for one in subjects:
        text, own = answers[one.key]["text"], now.get(one.id)
        if own is None or own.author is Author.PERSON or own.text == text:
            continue
        home = homes.get(one.id)
        items.append(
            ProposedItem(
                position=len(items),
                kind=API_TEXT,
                label=api_label_of(one.name, own.text, text),
                rowids=(one.id,),
                description=text,
                sources=() if home is None else (home.toolkit,),
            )
        )
    return items
