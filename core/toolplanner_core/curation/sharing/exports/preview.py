"""What an export would hold, before it is written: how much, how large, what is left out."""

from dataclasses import dataclass

from toolplanner_core.curation.sharing.exports.contents import read_contents
from toolplanner_core.curation.sharing.exports.export_forms import export_form
from toolplanner_core.curation.sharing.exports.form import ExportRequest
from toolplanner_core.curation.sharing.exports.tools import exported_tools
from toolplanner_core.tool_schemas.checking import check_dialect
from toolplanner_core.tool_schemas.dialect import dialects
from toolplanner_core.words.formatting import counted, file_size


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportPreview:
    """What an export would hold.

    Attributes:
        size: bytes of the file.
        tokens: of a model's context, about, if all of it is offered at once; None where the form is
            not for models.
        refused: tools that the vendor's endpoint would refuse.
        excluded: members that plans may not use, which forms for models leave out.
        note: what else is left out, in words.
        warning: why so many tools at once are no good; "" = they are not too many.
    """

    toolkits: int
    apis: int
    size: int
    tokens: int | None
    refused: int
    excluded: int
    note: str
    warning: str = ""

    @property
    def words(self) -> str:
        """All of it, a sentence each, for people."""
        what = f"{counted(self.toolkits, 'toolkit')} with {counted(self.apis, 'API')}"
        said = [f"{what}, {file_size(self.size)}"]
        if self.tokens is not None:
            said.append(f"About {self.tokens:,} tokens if a model is given all of it at once")
            left_out = counted(self.excluded, "excluded API")
            said += [f"Not in it: {left_out}"] if self.excluded else []
        said += [self.note] if self.note else []
        if self.refused:
            said.append(f"The endpoint would refuse {counted(self.refused, 'tool')}")
        if self.warning:
            todo = "let agents search them (Run > Serve agents), or export some toolkits only"
            said.append(f"These are too many: {self.warning}; {todo}")
        return ". ".join(said) + "."


def preview_export(request: ExportRequest, form_id: str) -> ExportPreview:
    """What the form would hold; seconds for 45,000 APIs. Blocks.

    Raises:
        BadInput: there is no such form.
        NotFound: one of the toolkits does not live.
    """
    form = export_form(form_id)
    contents = read_contents(request.workspace, request.toolkits)
    dialect = next((each for each in dialects if each.id == form_id), None)
    check = None if dialect is None else check_dialect(dialect, exported_tools(request))
    members = [
        len(kit.members) if dialect is None else len(kit.usable) for kit in contents.toolkits
    ]
    return ExportPreview(
        toolkits=len(contents.toolkits),
        apis=sum(members),
        size=sum(len(part.encode()) for part in form.write(request)),
        tokens=None if check is None else check.tokens,
        refused=0 if check is None else check.refused,
        excluded=sum(len(kit.excluded) for kit in contents.toolkits),
        note=form.note(request),
        warning="" if check is None else check.warning,
    )
