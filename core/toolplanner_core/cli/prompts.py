"""`toolplanner prompts`: the texts that models are shown, edited per workspace."""

import dataclasses
from pathlib import Path
from typing import TextIO

import click

from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, when
from toolplanner_core.prompts.editing import (
    WorkspacePrompt,
    edit_prompt,
    prompt_diff,
    reset_prompt,
    workspace_prompt,
    workspace_prompts,
)
from toolplanner_core.prompts.texts import hash_of
from toolplanner_core.workspace import Workspace


@click.group()
def prompts() -> None:
    """The texts that models are shown: every run keeps which of them it used."""


_name = click.argument("name")


@prompts.command("list")
@in_workspace
@json_option
def list_command(workspace: Workspace, as_json: bool) -> None:
    """List all prompts with their hashes."""
    print_rows(
        workspace_prompts(workspace),
        ["Prompt", "For", "Hash", "Text"],
        lambda one: [one.name, one.title, one.hash, "edited" if one.is_edited else "default"],
        as_json=as_json,
        to_json=_row,
        empty="There are none.",
    )


@prompts.command("show")
@in_workspace
@_name
@click.option("--version", metavar="HASH", help="An earlier text instead of the one that holds.")
@json_option
def show_command(workspace: Workspace, name: str, version: str | None, as_json: bool) -> None:
    """Show the text of NAME, as it can be edited in a file."""
    found = workspace_prompt(workspace, name)
    text = found.text if version is None else found.version(version)
    if as_json:
        saved = [dataclasses.asdict(one) | {"hash": one.hash} for one in found.versions]
        print_json(_row(found) | {"text": text, "default": found.default, "versions": saved})
    else:
        print_line(text)


@prompts.command("versions")
@in_workspace
@_name
@json_option
def versions_command(workspace: Workspace, name: str, as_json: bool) -> None:
    """List the texts of NAME that were saved, the newest first, and the default."""
    found = workspace_prompt(workspace, name)
    rows = [(one.hash, when(one.saved_us)) for one in reversed(found.versions)]
    print_rows(
        [*rows, (hash_of(found.default), "default")],
        ["Hash", "Saved", "Holds"],
        lambda row: [*row, "yes" if row[0] == found.hash else ""],
        as_json=as_json,
        to_json=lambda row: {"hash": row[0], "saved": row[1], "holds": row[0] == found.hash},
        empty="There are none.",
    )


@prompts.command("edit")
@in_workspace
@_name
@click.option("--file", type=click.File(encoding="utf-8"), help="Has the text; - is stdin.")
@click.option("--version", metavar="HASH", help="Take an earlier text again.")
def edit_command(workspace: Workspace, name: str, file: TextIO | None, version: str | None) -> None:
    """Save another text of NAME; runs that begin from now on use it."""
    if (file is None) == (version is None):
        raise click.UsageError("Give either --file or --version")
    found = workspace_prompt(workspace, name)
    text = found.version(version or "") if file is None else file.read()
    _print_state(edit_prompt(workspace, name, text), workspace.path)


@prompts.command("reset")
@in_workspace
@_name
def reset_command(workspace: Workspace, name: str) -> None:
    """Let the default of NAME hold again; what was saved is kept among its versions."""
    _print_state(reset_prompt(workspace, name), workspace.path)


@prompts.command("diff")
@in_workspace
@_name
@click.option("--version", metavar="HASH", help="An earlier text instead of the one that holds.")
def diff_command(workspace: Workspace, name: str, version: str | None) -> None:
    """Show how the text of NAME differs from the default."""
    found = workspace_prompt(workspace, name)
    text = found.text if version is None else found.version(version)
    for line in prompt_diff(found.default, text):
        print_line(line)
    if text == found.default:
        print_line("This is the default.")


def _print_state(prompt: WorkspacePrompt, path: Path) -> None:
    if prompt.is_edited:
        print_line(f"The edited text of {prompt.name} holds now: {prompt.hash}.")
        print_line(f"See the difference: toolplanner prompts diff {path} {prompt.name}")
    else:
        print_line(f"The default of {prompt.name} holds: {prompt.hash}.")


def _row(prompt: WorkspacePrompt) -> dict[str, object]:
    return {
        "name": prompt.name,
        "title": prompt.title,
        "hash": prompt.hash,
        "is_edited": prompt.is_edited,
    }
