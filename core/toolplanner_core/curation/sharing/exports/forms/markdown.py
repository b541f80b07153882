"""Toolkits as a report for people: sizes, cohesion, members, what is excluded and why, notes."""

import re
from collections.abc import Iterator

from toolplanner_core.curation.looking.details import AUTHOR_WORDS
from toolplanner_core.curation.sharing.exports.contents import (
    ExportedMember,
    ExportedToolkit,
    read_contents,
)
from toolplanner_core.curation.sharing.exports.form import ExportForm, ExportRequest
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.words.sanitizing import show_control_characters

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_LONGEST = 160


def write(request: ExportRequest) -> Iterator[str]:
    """The report, a toolkit at a time."""
    contents = read_contents(request.workspace, request.toolkits)
    offered = sum(len(toolkit.offered) for toolkit in contents.toolkits)
    excluded = sum(len(toolkit.excluded) for toolkit in contents.toolkits)
    count = len(contents.toolkits)
    yield (
        f"# Toolkits of {plain(contents.workspace)}\n\n"
        "| | |\n|---|---:|\n"
        f"| Toolkits | {count:,} |\n"
        f"| APIs in them | {offered:,} |\n"
        f"| Mean size | {offered / count if count else 0:.1f} |\n"
        f"| Excluded APIs | {excluded:,} |\n"
        f"| APIs without a toolkit | {contents.homeless:,} |\n"
    )
    if count:
        yield "\n| Toolkit | APIs | Fit | Pinned |\n|---|---:|---:|---|\n"
    for toolkit in contents.toolkits:
        pinned = "yes" if toolkit.fields.is_pinned else ""
        yield (
            f"| {plain(toolkit.fields.name)} | {len(toolkit.offered):,} | {_cohesion(toolkit)} |"
            f" {pinned} |\n"
        )
    for toolkit in contents.toolkits:
        yield _section(toolkit)


def plain(text: str, limit: int = 0) -> str:
    """Text in one line in which Markdown and HTML see no marks."""
    return _MARKS.sub(r"\\\1", show_control_characters(one_line(text, limit or len(text))))


def _section(toolkit: ExportedToolkit) -> str:
    fields = toolkit.fields
    lines = [
        f"\n## {plain(fields.name)}\n",
        f"Toolkit {toolkit.id}, {counted(len(toolkit.offered), 'API')},"
        f" fit {_cohesion(toolkit)},"
        f" named {AUTHOR_WORDS[fields.name_author]}{', pinned' if fields.is_pinned else ''}.\n",
    ]
    if fields.description:
        lines.append(f"{plain(fields.description)}\n")
    if fields.note:
        lines.append(f"> {plain(fields.note)}\n")
    if toolkit.offered:
        lines.append("| Tool | API | Method | Description |\n|---|---|---|---|")
        lines += [_row(member) for member in toolkit.offered]
    if toolkit.excluded:
        lines.append("\nExcluded from plans:\n")
        lines += [
            f"- {plain(member.api.title)}: {plain(member.excluded or '') or 'no reason given'}"
            for member in toolkit.excluded
        ]
    return "\n".join(lines) + "\n"


def _row(member: ExportedMember) -> str:
    api = member.api
    pin = " (pinned)" if member.is_pinned else ""
    return (
        f"| {plain(api.tool)} | {plain(api.name)}{pin} | {plain(api.method)} |"
        f" {plain(api.description, _LONGEST)} |"
    )


def _cohesion(toolkit: ExportedToolkit) -> str:
    return "–" if toolkit.cohesion is None else f"{toolkit.cohesion:.2f}"


PLUGIN = ExportForm(
    id="markdown",
    title="As a report to read",
    description="is a report to read",
    suffix=".md",
    files="Reports",
    write=write,
    order=70,
)
