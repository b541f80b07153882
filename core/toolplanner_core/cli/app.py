"""The `toolplanner` command: its groups, and how errors become exit codes.

Exit codes: 0 done, 1 not solved or a check failed, 2 bad input or usage, 130 interrupted.
"""

import importlib
import logging
import sys
from collections.abc import Sequence

import click

from toolplanner_core import __version__
from toolplanner_core.cli.terminal import say_error
from toolplanner_core.errors import Cancelled, ToolPlannerError, UserError

COMMANDS: dict[str, str] = {
    "new": "toolplanner_core.cli.new:new",
    "import": "toolplanner_core.cli.import_catalogue:import_catalogue",
    "embed": "toolplanner_core.cli.prepare:embed_command",
    "cluster": "toolplanner_core.cli.prepare:cluster_command",
    "layout": "toolplanner_core.cli.prepare:layout_command",
    "prepare": "toolplanner_core.cli.prepare:prepare_command",
    "apis": "toolplanner_core.cli.apis:apis",
    "search": "toolplanner_core.cli.apis:search",
    "toolkits": "toolplanner_core.cli.toolkits:toolkits",
    "history": "toolplanner_core.cli.history:history",
    "review": "toolplanner_core.cli.review:review",
    "run": "toolplanner_core.cli.run:run_command",
    "runs": "toolplanner_core.cli.runs:runs",
    "prices": "toolplanner_core.cli.prices:prices",
    "cases": "toolplanner_core.cli.cases:cases",
    "self-test": "toolplanner_core.cli.self_test:self_test",
}
"""Command name -> where it is defined; imported only when it is used, so that `--help` is quick."""


class LazyCommands(click.Group):
    """A group whose commands are imported at first use, listed in the order of the work."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        cmd_name: str,
    ) -> click.Command | None:
        where = COMMANDS.get(cmd_name)
        if where is None:
            return None
        module, _, name = where.partition(":")
        return getattr(importlib.import_module(module), name)


@click.command(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="toolplanner")
@click.option("-v", "--verbose", is_flag=True, help="Log what happens to stderr.")
def toolplanner(verbose: bool) -> None:
    """Import tools, cluster them into toolkits, run queries over them.

    A workspace is one file, NAME.toolplanner. Begin with: toolplanner new demo.toolplanner --demo
    """
    logging.basicConfig(
        level=logging.INFO if verbose else logging.ERROR,
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )


def run_command_line(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code, never raises what a person should read instead."""
    try:
        result = toolplanner.main(
            args=None if arguments is None else list(arguments),
            prog_name="toolplanner",
            standalone_mode=False,
        )
    except (click.exceptions.Abort, KeyboardInterrupt):
        return 130
    except click.ClickException as error:
        error.show(sys.stderr)
        return 2
    except Cancelled:
        say_error("Stopped. Nothing that was finished before is lost.")
        return 130
    except UserError as error:
        say_error(error.sentence)
        return 2
    except ToolPlannerError as error:
        say_error(error.sentence)
        return 1
    except BrokenPipeError:
        # The reader of a pipe (head, less) has had enough.
        sys.stderr.close()
        return 0
    return result if isinstance(result, int) else 0
