"""Arguments and options that several commands share."""

import functools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

ROW_ID = click.IntRange(min=0, max=2**63 - 1)
"""Numbers of runs, toolkits and limits: what SQLite can hold."""

SEED = click.IntRange(min=0, max=2**32 - 1)
"""Seeds: what numpy and scikit-learn take."""

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


def workspace_argument(command: F) -> F:
    """The WORKSPACE argument: path of a `.toolplanner` file."""
    return click.argument("workspace", type=FilePath())(command)


def in_workspace(command: Callable[..., T]) -> Callable[..., T]:
    """The WORKSPACE argument for a command that gets it as an open workspace."""

    @functools.wraps(command)
    def opening(*, workspace: Path, **given: Any) -> T:
        with Workspace.open(workspace) as opened:
            return command(workspace=opened, **given)

    return workspace_argument(opening)


def option_values(help_text: str, *, flag: str = "--option") -> Callable[[F], F]:
    """A repeatable NAME=VALUE option for the options class of a plug-in; see `named_values`."""
    flags = ["-o", flag] if flag == "--option" else [flag]
    return click.option(
        *flags,
        flag.removeprefix("--").replace("-", "_") + "s",
        multiple=True,
        metavar="NAME=VALUE",
        help=f"{help_text} Can be given several times.",
    )


def named_values(pairs: tuple[str, ...]) -> dict[str, str]:
    """NAME=VALUE texts as a mapping; `make_options` turns the values into the options' types.

    Raises:
        BadInput: a text has no "=".
    """
    values: dict[str, str] = {}
    for pair in pairs:
        name, mark, value = pair.partition("=")
        if not mark or not name:
            raise BadInput(f"{pair!r} is not an option", todo="Write it as NAME=VALUE")
        values[name.strip().replace("-", "_")] = value
    return values


def named_roles(**models: str | None) -> dict[str, str]:
    """The models of roles that were named, as `RunSpec.roles`."""
    return {role: model for role, model in models.items() if model}


def argument_values(pairs: tuple[str, ...]) -> dict[str, Any]:
    """NAME=VALUE texts; a value that is JSON is that value, any other is a text, none is None.

    Raises:
        BadInput: a text has no "=".
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        name, mark, text = pair.partition("=")
        if not mark or not name:
            raise BadInput(f"{pair!r} is not an argument", todo="Write it as NAME=VALUE")
        if not text:
            values[name] = None
            continue
        try:
            values[name] = json.loads(text)
        except ValueError:
            values[name] = text
    return values
