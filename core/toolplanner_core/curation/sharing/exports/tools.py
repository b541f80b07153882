"""Toolkits as tools for language models: one form for each dialect of `tool_schemas/`.

Names are different in the whole workspace and kept there; `apis` says which API each is. APIs whose
changed documentation nobody has accepted yet are counted (`waiting`) and left out: nothing of it
comes to a model.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolplanner_core.curation.sharing.exports.contents import ExportedToolkit, read_contents
from toolplanner_core.curation.sharing.exports.document import document_parts
from toolplanner_core.curation.sharing.exports.form import ExportForm, ExportRequest
from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.tool_schemas.dialect import DialectPlugin, Tool, tool_of
from toolplanner_core.tool_schemas.names import tool_names
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import store_tool_names, stored_tool_names
from toolplanner_core.workspace.curated_tables import CuratedTables
from toolplanner_core.workspace.import_changes import waiting_rowids

VERSION = 2
"""Of the documents; in version 1 names had up to 64 letters, and schemas were as imported."""


def tool_form(dialect: DialectPlugin) -> ExportForm:
    """The form of export that a dialect is; with one toolkit, the bare list of its tools, as
    requests take it."""

    def write(request: ExportRequest) -> Iterable[str]:
        contents = read_contents(request.workspace, request.toolkits)
        usable = [member.api for toolkit in contents.toolkits for member in toolkit.usable]
        names = names_of(request.workspace, usable)
        if request.toolkits is not None and len(contents.toolkits) == 1:
            tools = _tools_of(contents.toolkits[0], names, dialect)
            return [json.dumps(tools, ensure_ascii=False, indent=1), "\n"]
        head = {
            "format": f"toolplanner-{dialect.id}-tools",
            "version": VERSION,
            "workspace": contents.workspace,
        }
        return document_parts(head, _rows(contents.toolkits, names, dialect))

    return ExportForm(
        id=dialect.id,
        title=f"As tools for {dialect.title}",
        description=f"is for {dialect.description}",
        suffix=".json",
        files=f"Tools for {dialect.title}",
        write=write,
        note=_waiting_note,
        order=20,
    )


def exported_tools(request: ExportRequest) -> list[Tool]:
    """The tools of an export, as every dialect writes them."""
    contents = read_contents(request.workspace, request.toolkits)
    usable = [member.api for toolkit in contents.toolkits for member in toolkit.usable]
    names = names_of(request.workspace, usable)
    return [tool_of(api, names[api.id]) for api in usable]


def names_of(workspace: Workspace, apis: list[Api]) -> dict[ApiId, str]:
    """Names of APIs as tools; new ones are kept in the workspace. Blocks."""
    ids = [api.id for api in apis]
    kept = stored_tool_names(workspace, ids)
    if len(kept) == len(set(ids)):
        return {api: kept[api] for api in ids}
    kept = stored_tool_names(workspace)
    names = tool_names(apis, kept=kept)
    store_tool_names(workspace, {api: name for api, name in names.items() if api not in kept})
    # Another process may have named some of them first.
    return tool_names(apis, kept=stored_tool_names(workspace))


def _rows(
    toolkits: Iterable[ExportedToolkit], names: Mapping[ApiId, str], dialect: DialectPlugin
) -> Iterator[dict[str, Any]]:
    for toolkit in toolkits:
        yield {
            "id": toolkit.id,
            "name": toolkit.fields.name,
            "description": toolkit.fields.description,
            "excluded": len(toolkit.excluded),
            "waiting": len(toolkit.offered) - len(toolkit.usable),
            "apis": {names[member.api.id]: member.api.id for member in toolkit.usable},
            "tools": _tools_of(toolkit, names, dialect),
        }


def _tools_of(
    toolkit: ExportedToolkit, names: Mapping[ApiId, str], dialect: DialectPlugin
) -> list[dict[str, Any]]:
    """The value for the parameter "tools" of a request."""
    return [dialect.write(tool_of(member.api, names[member.api.id])) for member in toolkit.usable]


def _waiting_note(request: ExportRequest) -> str:
    with request.workspace.snapshot() as db:
        waiting = CuratedTables(db).memberships(waiting_rowids(db))
    chosen = request.toolkits
    n = sum(chosen is None or one.toolkit in chosen for one in waiting.values())
    whose = counted(n, "API whose", "APIs whose")
    return f"Not in it: {whose} changed documentation nobody has accepted" if n else ""
