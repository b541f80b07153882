"""The `toolplanner` command: its groups, and how errors become exit codes.

Exit codes: 0 done, 1 not solved or a check failed, 2 bad input or usage, 130 interrupted.
"""

import importlib
import logging
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from typing import Any, NamedTuple

import click

from toolplanner_core.cli.terminal import say_error
from toolplanner_core.errors import BadInput, Cancelled, ToolPlannerError, UserError
from toolplanner_core.jobs.isolation import (
    build_fault_report,
    error_location,
    save_fault_report,
    send_hint,
)
from toolplanner_core.registry import (
    BrokenPlugin,
    distribution_of,
    entry_points_of,
    load_entry_point,
)
from toolplanner_core.resources import build_info

_log = logging.getLogger(__name__)


class Command(NamedTuple):
    """A command of ours.

    Attributes:
        where: "module:name", imported when it is used and not before, so that `--help` is quick.
        words: what it does, for the list of commands.
    """

    where: str
    words: str


COMMANDS = {
    "new": Command("workspaces:new", "Make a workspace, empty or with the demo world."),
    "copy": Command(
        "workspaces:copy_command", "Save a copy of a workspace, also while it is open."
    ),
    "import": Command("import_catalogue:import_catalogue", "Read catalogues or recorded calls."),
    "changes": Command("changes:changes", "What imports changed; see it, accept it."),
    "embed": Command("prepare:embed_command", "Give every API a vector."),
    "cluster": Command("prepare:cluster_command", "Group the APIs into toolkits."),
    "sweep": Command("sweep:sweep_command", "Compare numbers of toolkits, or distances."),
    "layout": Command("prepare:layout_command", "Place the APIs on the map."),
    "prepare": Command("prepare:prepare_command", "Embed, cluster and lay out."),
    "apis": Command("apis:apis", "List APIs, or show one with its documentation."),
    "search": Command("apis:search", "Find APIs by words and by meaning."),
    "call": Command("call:call_command", "Try one API: see what is sent and what comes back."),
    "toolkits": Command("toolkits:toolkits", "List, show, edit and export toolkits."),
    "describe": Command("describe:describe_command", "Have a model describe APIs and toolkits."),
    "regions": Command("regions:regions", "List and edit regions, the level above toolkits."),
    "history": Command("history:history", "What was done to the toolkits; undo, redo, go back."),
    "review": Command("review:review", "Questions about the toolkits for a person."),
    "mcp": Command("mcp:mcp", "Servers of tools that may be started or reached."),
    "run": Command("run:run_command", "Solve a query over the toolkits."),
    "serve": Command("serve:serve_command", "Let an agent use the APIs, over MCP."),
    "serving": Command("serving:serving", "Profiles of what agents get; check them; the token."),
    "prompts": Command("prompts:prompts", "Texts that models are shown; edit, compare, reset."),
    "presets": Command("presets:presets", "Ways to run a query, saved under names."),
    "runs": Command("runs:runs", "List, show, search, replay, fork, compare and export runs."),
    "demos": Command("demos:demos", "Demonstrations that models are shown; list, add, edit."),
    "memory": Command("memory:memory", "What strategies keep between runs; list, look, go back."),
    "graph": Command("graph:graph", "Which API comes after which; build, show, decide."),
    "approvals": Command("approvals:approvals", "What may be called that changes something."),
    "probe": Command("probe:probe", "What probing found out of APIs; look, accept, reject."),
    "train": Command("train:train", "Train a retriever on labelled queries; measure it."),
    "health": Command("health:health", "How calls of APIs ended; check those that only read."),
    "prices": Command("prices:prices", "Show and set what models cost."),
    "budgets": Command("prices:budgets", "What a run and a day may cost you; spent today."),
    "cases": Command("cases:cases", "Saved queries with what is expected of their runs."),
    "lab": Command("lab:lab", "Experiments over many queries, and the data sets that they ask."),
    "keys": Command("keys:keys", "Keys of tools, in the system's keychain."),
    "endpoints": Command("endpoints:endpoints", "What was learned of endpoints; list, forget."),
    "origins": Command("keys:origins", "Servers in private networks that may be called."),
    "routes": Command("routes:routes", "Which provider serves which source."),
    "strategies": Command("plugins:strategies", "Ways to solve a query, with their options."),
    "models": Command("plugins:models", "Kinds of models that answer."),
    "providers": Command("plugins:providers", "Who executes the calls."),
    "sources": Command("plugins:sources", "Formats of catalogues that can be imported."),
    "embedders": Command("plugins:embedders", "Ways to give an API a vector."),
    "clusterings": Command("plugins:clusterings", "Ways to group APIs into toolkits."),
    "layouts": Command("plugins:layouts", "Ways to place APIs on the map."),
    "guide": Command("guide:guide_command", "Read the guide, or write it as HTML."),
    "self-test": Command("self_test:self_test", "Try each part of the program on this machine."),
}
"""Our commands in the order of the work; others come from entry points of `toolplanner.commands`,
each a click command under its entry point's name."""


class LazyCommands(click.Group):
    """A group whose commands are imported at first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [*COMMANDS, *(name for name in _foreign_commands() if name not in COMMANDS)]

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        cmd_name: str,
    ) -> click.Command | None:
        if cmd_name in COMMANDS:
            module, _, name = COMMANDS[cmd_name].where.partition(":")
            return getattr(importlib.import_module(f"toolplanner_core.cli.{module}"), name)
        entry = _foreign_commands().get(cmd_name)
        if entry is None:
            return None
        command = load_entry_point(entry, _checked_command)
        return _refusing(command) if isinstance(command, BrokenPlugin) else command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Ours from the table, without importing them."""
        rows = [(name, command.words) for name, command in COMMANDS.items()]
        for name, entry in _foreign_commands().items():
            command = self.get_command(ctx, name)
            words = command.get_short_help_str(80) if command else ""
            if name in COMMANDS:
                words = f"Left out: {distribution_of(entry)} brings it, and the name is taken"
            rows.append((name, words))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _foreign_commands() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points_of("commands")}


def _checked_command(loaded: Any) -> click.Command:
    if not isinstance(loaded, click.Command):
        raise BadInput(f"it is of the class {type(loaded).__name__}, not a click command")
    return loaded


def _refusing(broken: BrokenPlugin) -> click.Command:
    """Stands where a command would be that another distribution brings and that cannot be used."""
    why = f"{broken.distribution} brings it, and it cannot be used: {broken.reason}"

    def refuse(_: tuple[str, ...]) -> None:
        raise BadInput(f"The command {broken.name} cannot be used", why=why)

    anything = click.Argument(["_"], nargs=-1, type=click.UNPROCESSED)
    return click.Command(
        broken.name,
        callback=refuse,
        params=[anything],
        short_help=f"Left out: {why}",
        context_settings={"ignore_unknown_options": True},
    )


@click.command(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(str(build_info()), prog_name="toolplanner")
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


def _unforeseen(error: Exception) -> str:
    """What a person reads instead of a traceback."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}. What was stored before is as it was."
    where = f" at {place}" if (place := error_location(error)) else ""
    return (
        f"This stopped because of a fault in the program ({type(error).__name__}{where})."
        " What was stored before is as it was, and finished steps are not repeated."
        f" {send_hint(save_fault_report(build_fault_report(error)))}"
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
    except ToolPlannerError as error:
        say_error(error.sentence)
        return 2 if isinstance(error, UserError) else 1
    except BrokenPipeError:
        # The reader of a pipe (head, less) has had enough.
        sys.stderr.close()
        return 0
    except Exception as error:  # noqa: BLE001 - a sentence is all that a person should see
        # A warning, so that a traceback is on the terminal only where --verbose asks for it.
        _log.warning("An error that nobody has foreseen", exc_info=True)
        say_error(_unforeseen(error))
        return 1
    return result if isinstance(result, int) else 0
