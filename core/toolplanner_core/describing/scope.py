"""What shall be described: which toolkits and APIs, and what of them is left alone."""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.prompts.describe_apis import DescribeApis
from toolplanner_core.prompts.describe_toolkit import MEMBERS_SHOWN, DescribeToolkit
from toolplanner_core.prompts.render import short
from toolplanner_core.prompts.texts import hash_of
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import all_toolkits
from toolplanner_core.workspace.described_texts import (
    ApiDocumentation,
    api_documentation,
    toolkit_documentation,
)


class DescribeWhat(StrEnum):
    """Whose texts are asked for."""

    APIS = "apis"
    TOOLKITS = "toolkits"


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeScope:
    """What a job is about.

    Attributes:
        toolkits: these and their APIs; rowids: these APIs and their toolkits; both empty = all.
        only_by_rule: not what a model described already.
    """

    what: frozenset[DescribeWhat] = frozenset({DescribeWhat.TOOLKITS})
    toolkits: frozenset[ToolkitId] = frozenset()
    rowids: frozenset[int] = frozenset()
    only_by_rule: bool = False

    @property
    def is_all(self) -> bool:
        """Nothing was chosen."""
        return not self.toolkits and not self.rowids


class DescribeSubject(NamedTuple):
    """One API or toolkit whose text is asked for.

    Attributes:
        id: row id or toolkit.
        key: of its answer: the same documentation, put to the same model by the same prompt, has
            the same.
        shown: what the model sees of it: of a toolkit the texts of its first members.
    """

    what: DescribeWhat
    id: int
    name: str
    key: str
    shown: tuple[str, ...]


class FoundSubjects(NamedTuple):
    """What a scope comes to; `left_out`: a person wrote these, or they are pinned."""

    found: tuple[DescribeSubject, ...]
    left_out: int


def subjects_of(
    workspace: Workspace, scope: DescribeScope, model: str, texts: dict[str, str]
) -> FoundSubjects:
    """All that a job is about, APIs first. Blocks.

    Args:
        texts: the prompts that hold, by question.
    """
    found: list[DescribeSubject] = []
    left_out = 0
    homes = _homes(workspace, scope.rowids) if scope.rowids else frozenset[ToolkitId]()
    if DescribeWhat.APIS in scope.what:
        begun = _begun(DescribeApis.id, DescribeApis.version, model, texts)
        for api in api_documentation(workspace):
            if not (scope.is_all or api.rowid in scope.rowids or api.toolkit in scope.toolkits):
                continue
            if api.author is Author.PERSON:
                left_out += 1
            elif not (scope.only_by_rule and api.author is Author.MODEL):
                found.append(_api(api, begun))
    if DescribeWhat.TOOLKITS in scope.what:
        begun = _begun(DescribeToolkit.id, DescribeToolkit.version, model, texts)
        with workspace.snapshot() as db:
            fields = all_toolkits(db)
        for toolkit, hashes, members in toolkit_documentation(workspace, MEMBERS_SHOWN):
            own = fields[toolkit]
            if not (scope.is_all or toolkit in scope.toolkits or toolkit in homes):
                continue
            if own.is_pinned or {own.name_author, own.description_author} == {Author.PERSON}:
                left_out += 1
            elif not (scope.only_by_rule and Author.MODEL in _authors(own)):
                key = _key(begun, *hashes, *members)
                what = DescribeWhat.TOOLKITS
                found.append(DescribeSubject(what, toolkit, own.name, key, members))
    return FoundSubjects(tuple(found), left_out)


def _authors(fields: object) -> Iterator[object]:
    yield getattr(fields, "name_author", None)
    yield getattr(fields, "description_author", None)


def _homes(workspace: Workspace, rowids: Collection[int]) -> frozenset[ToolkitId]:
    apis = (api for api in api_documentation(workspace) if api.rowid in rowids)
    return frozenset(api.toolkit for api in apis if api.toolkit is not None)


def _api(api: ApiDocumentation, begun: tuple[str, ...]) -> DescribeSubject:
    parts = [api.title, short(api.description, 300)]
    if len(api.description) < _ENOUGH:
        parts.append(short(api.tool_description, 200))
    if api.parameters:
        parts.append(f"Takes {short(api.parameters, 120)}")
    shown = ". ".join(part.rstrip(".") for part in parts if part)
    key = _key(begun, api.doc_hash, shown)
    return DescribeSubject(DescribeWhat.APIS, api.rowid, api.title, key, (shown,))


_ENOUGH = 60
"""Characters of a description below which the tool's own is shown, too."""


def _begun(question: str, version: int, model: str, texts: dict[str, str]) -> tuple[str, ...]:
    return (question, str(version), model, hash_of(texts[question]))


def _key(begun: tuple[str, ...], *parts: str) -> str:
    return hashlib.sha256("\x1f".join((*begun, *parts)).encode("utf-8", "replace")).hexdigest()
