"""The forms of export, for window and terminal."""

from toolplanner_core.curation.sharing.exports.form import ExportForm
from toolplanner_core.curation.sharing.exports.tools import tool_form
from toolplanner_core.errors import BadInput
from toolplanner_core.registry import Registry
from toolplanner_core.tool_schemas.dialect import dialects

_files = Registry(
    ExportForm,
    package="toolplanner_core.curation.sharing.exports.forms",
    kind="exports",
    what="form of export",
)


def export_forms() -> dict[str, ExportForm]:
    """All forms by id: one file each, and one for each dialect of tools."""
    forms = [*_files, *(tool_form(dialect) for dialect in dialects)]
    return {form.id: form for form in sorted(forms, key=lambda form: (form.order, form.id))}


def export_form(form_id: str) -> ExportForm:
    """The form with this id.

    Raises:
        BadInput: there is none; the message lists those there are.
    """
    forms = export_forms()
    if form_id not in forms:
        raise BadInput(f"There is no form “{form_id}”", todo=f"Known: {', '.join(forms)}")
    return forms[form_id]
