"""`--fault`, as `toolplanner run`, `serve` and `runs fork` have it: explained and checked alike."""

import click

from toolplanner_core.runs.debugging.faults import HOW_TO_WRITE, parse_fault


def _checked(_: click.Context, __: click.Parameter, faults: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse what is no fault before anything is done."""
    for text in faults:
        parse_fault(text)
    return faults


fault_option = click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="SPEC",
    callback=_checked,
    help=f"Make calls fail; may be given several times. {HOW_TO_WRITE}",
)
