"""What commands that write a file for others share: its form, where it goes, and writing it."""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from toolplanner_core.cli.options import FilePath, json_option
from toolplanner_core.cli.terminal import print_json, say
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace.export_file import write_file

F = TypeVar("F", bound=Callable[..., Any])


def export_options(formats: Sequence[str], help_text: str) -> Callable[[F], F]:
    """`format_id`, one of `formats`, by itself the first; `output` and `as_json`."""
    form = click.option(
        "--format",
        "format_id",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help=help_text,
    )
    output = click.option("--output", type=FilePath(), help="A file instead of stdout.")
    return lambda command: form(output(json_option(command)))


def hand_out(parts: Iterable[str], output: Path | None, *, as_json: bool, **about: Any) -> None:
    """Write parts of a text to a file, or to stdout.

    Args:
        about: what is told of the file with `as_json`, beside its name and size.

    Raises:
        BadInput: there is no file to tell of, or it would replace a workspace.
    """
    if output is None:
        if as_json:
            raise BadInput("--json describes a file that was written", todo="Give --output as well")
        sys.stdout.writelines(parts)
        return
    size = write_file(parts, output)
    if as_json:
        print_json({"file": str(output), **about, "bytes": size})
    else:
        say(f"Wrote {output}, {size:,} bytes")
