"""Arguments and options that several commands share."""

import contextlib
import functools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from toolplanner_core.domain.workspace_file import existing_workspace
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

ROW_ID = click.IntRange(min=0, max=2**63 - 1)
"""Numbers of runs, toolkits and limits: what SQLite can hold."""

SEED = click.IntRange(min=0, max=2**32 - 1)
"""Seeds: what numpy and scikit-learn take."""

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Say what would be done, and change nothing."
)
run_argument = click.argument("run_id", metavar="RUN", type=ROW_ID)
tree_option = click.option("--tree", is_flag=True, help="Print the tree of the run as well.")
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document for machines."
)


class FiniteFloat(click.FloatRange):
    """A number in a range, and neither infinite nor "nan", which click lets pass."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class FilePath(click.Path):
    """A path that is not empty: an unset shell variable must not mean the current folder."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value).strip():
            self.fail("The name is empty.", param, ctx)
        return super().convert(value, param, ctx)


class WorkspacePath(FilePath):
    """The path of a workspace that is there; its suffix may be left out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return existing_workspace(super().convert(value, param, ctx))


def workspace_argument(command: F) -> F:
    """The WORKSPACE argument: path of a `.toolplanner` file."""
    return click.argument("workspace", type=WorkspacePath())(command)


def in_workspace(command: Callable[..., T]) -> Callable[..., T]:
    """The WORKSPACE argument for a command that gets it as an open workspace."""

    @functools.wraps(command)
    def opening(*, workspace: Path, **given: Any) -> T:
        with Workspace.open(workspace) as opened:
            return command(workspace=opened, **given)

    return workspace_argument(opening)


def in_runs(command: Callable[..., T]) -> Callable[..., T]:
    """`in_workspace`, for a command on runs: those that broke off are marked before."""

    @functools.wraps(command)
    def marking(*, workspace: Workspace, **given: Any) -> T:
        from toolplanner_core.runs.engine.interrupted import mark_interrupted

        mark_interrupted(workspace)
        return command(workspace=workspace, **given)

    return in_workspace(marking)


def named_texts(pairs: tuple[str, ...], *, what: str = "an option") -> dict[str, str]:
    """NAME=VALUE texts as a mapping.

    Raises:
        BadInput: a text has no "=".
    """
    values: dict[str, str] = {}
    for pair in pairs:
        name, mark, value = pair.partition("=")
        if not mark or not name:
            raise BadInput(f"{pair!r} is not {what}", todo="Write it as NAME=VALUE")
        values[name] = value
    return values


def named_values(pairs: tuple[str, ...]) -> dict[str, str]:
    """Options of a plug-in by name; `make_options` turns the values into the options' types.

    Raises:
        BadInput: a text has no "=".
    """
    found = named_texts(pairs).items()
    return {name.strip().replace("-", "_"): value for name, value in found}


def argument_values(pairs: tuple[str, ...]) -> dict[str, Any]:
    """NAME=VALUE texts; a value that is JSON is that value, any other is a text, none is None.

    Raises:
        BadInput: a text has no "=".
    """
    values: dict[str, Any] = dict(named_texts(pairs, what="an argument"))
    for name, text in values.items():
        with contextlib.suppress(ValueError):
            values[name] = json.loads(text) if text else None
    return values
