"""`toolplanner budgets`: what a run and a day may cost this person, and what was spent today."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import click

from toolplanner_core.cli.options import json_option
from toolplanner_core.cli.plugin_flags import explain_option
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.llm.day_budget import DayBook
from toolplanner_core.options.describe import describe_options
from toolplanner_core.options.values import make_options, options_to_json
from toolplanner_core.runs.presets import usual_limits
from toolplanner_core.runs.spec import Limits
from toolplanner_core.settings import DayLimits, load_settings, save_settings

_KINDS: Mapping[str, type] = {"run": Limits, "day": DayLimits}


@click.group()
def budgets() -> None:
    """Show and set what a run and a day may cost you, in all workspaces."""


@budgets.command("show")
@json_option
def show_command(as_json: bool) -> None:
    """Show the budgets, and what was spent today."""
    day = DayBook()
    spent, limits = day.spent(), {"run": usual_limits(), "day": day.limits}
    if as_json:
        rows = {kind: options_to_json(limits[kind]) for kind in _KINDS}
        print_json({**rows, "today": asdict(spent)})
        return
    for kind, options in _KINDS.items():
        said = (
            f"{each.title}: {'no limit' if value is None else f'{value:,}'.removesuffix('.0')}"
            for each in describe_options(options)
            for value in [getattr(limits[kind], each.name)]
        )
        print_line(f"A {kind} at most: {' · '.join(said)}")
    print_line(f"Spent today: {spent.words}")


def _flags() -> list[click.Parameter]:
    made: list[click.Parameter] = []
    for kind, options in _KINDS.items():
        for each in describe_options(options):
            flag = f"--{kind}-{each.name.removeprefix('max_').replace('_', '-')}"
            names = [flag, f"{kind}__{each.name}"]
            made.append(click.Option(names, metavar="N|none", help=explain_option(each)))
    return made


@budgets.command("set", params=_flags())
def set_command(**given: Any) -> None:
    """Set budgets; what is not named stays. A run that says its own keeps its own."""
    settings = load_settings()
    now = {"run": options_to_json(usual_limits()), "day": options_to_json(settings.day_limits)}
    for flag, value in given.items():
        kind, _, name = flag.partition("__")
        if value is not None:
            now[kind][name] = value
    limits = make_options(Limits, now["run"], of="a run")
    day = make_options(DayLimits, now["day"], of="a day")
    save_settings(replace(settings, run_limits=options_to_json(limits), day_limits=day))
