"""Arguments and options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document for machines."
)


def workspace_argument(command: F) -> F:
    """The WORKSPACE argument: path of a `.toolplanner` file."""
    return click.argument("workspace", type=click.Path(dir_okay=False, path_type=Path))(command)
